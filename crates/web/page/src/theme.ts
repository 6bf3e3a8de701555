// Light and dark: what the system says until a person chooses.

import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

export function useTheme(): [Theme, () => void] {
  const [chosen, choose] = useState<Theme | null>(null);
  const [auto, setAuto] = useState<Theme>(system);
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setAuto(system());
    const before = () => setPrinting(true);
    const after = () => setPrinting(false);
    query.addEventListener("change", changed);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      query.removeEventListener("change", changed);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, []);
  const theme = printing ? "light" : (chosen ?? auto);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => choose(theme === "dark" ? "light" : "dark")];
}

/** The colours of pictures; text uses the variables of style.css. */
export interface Colours {
  text: string;
  faint: string;
  grid: string;
  panel: string;
  sunken: string;
  accent: string;
  empty: string;
  series: [string, string, string];
}

export const COLOURS: Record<Theme, Colours> = {
  light: {
    text: "#1b1f24",
    faint: "#59636e",
    grid: "#d9dee4",
    panel: "#ffffff",
    sunken: "#eef1f4",
    accent: "#0b62b5",
    empty: "#b3261e",
    series: ["#d55e00", "#0072b2", "#007a59"],
  },
  dark: {
    text: "#e8ebef",
    faint: "#a3adb8",
    grid: "#343b44",
    panel: "#171b20",
    sunken: "#22272e",
    accent: "#6cb6ff",
    empty: "#ff8a80",
    series: ["#ff9248", "#56b4e9", "#35c79b"],
  },
};

/** A colour as numbers. */
export function rgb(colour: string): [number, number, number] {
  const number = Number.parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The luminance of a colour, 0 to 1. */
export function luminance(colour: string): number {
  const [r, g, b] = rgb(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(colour: string): string {
  return luminance(colour) > 0.179 ? "#000000" : "#ffffff";
}

/** The colour of a state: dark ones are lifted where the ground is dark. */
export function stateColour(colour: string, theme: Theme): string {
  if (theme === "light" || luminance(colour) > 0.12) return colour;
  const lifted = rgb(colour).map((part) => Math.round(part + (255 - part) * 0.42));
  return `#${lifted.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

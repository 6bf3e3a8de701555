// A chart of Observable Plot that follows the width of its place.

import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

export function Chart(props: { label: string; draw: (width: number) => Plot.PlotOptions; minimum?: number }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element || width < 40) return;
    const drawn = Plot.plot({ ...props.draw(Math.max(width, props.minimum ?? 0)) });
    // One picture with one name: the names of its parts would be read out one by one.
    for (const part of drawn.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", props.label);
    element.replaceChildren(drawn);
  }, [width, props.draw, props.label]);
  return <div class="chart" ref={place} />;
}

export { Plot };

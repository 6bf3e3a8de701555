// A set-up as the fragment of an address: it says all, and no server ever sees it.

import type { SetUp } from "./protocol";

const BEGIN = "#setup=";

export const PLAIN: SetUp = { launch: "launches/warp_states.ron", set: [], edits: {}, sm: 0 };

/** The fragment of a set-up. */
export async function fragmentOf(setup: SetUp): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(setup));
  const packed = new Uint8Array(await through(bytes, new CompressionStream("deflate-raw")));
  const text = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return BEGIN + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The set-up of a fragment; nothing if it is none. */
export async function setupOf(fragment: string): Promise<SetUp | undefined> {
  if (!fragment.startsWith(BEGIN)) return undefined;
  try {
    const text = atob(fragment.slice(BEGIN.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const json = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    return shaped(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function through(bytes: BlobPart, stream: CompressionStream | DecompressionStream): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}

/** What a stranger may have written, in the shape of a set-up. */
function shaped(from: Partial<SetUp>): SetUp | undefined {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const launch = text(from.launch);
  if (!launch) return undefined;
  const set = Array.isArray(from.set) ? from.set.filter((change) => typeof change === "string") : [];
  const edits = Object.entries(from.edits ?? {}).filter(([, value]) => typeof value === "string");
  return {
    launch,
    gpu: text(from.gpu),
    scheduler: text(from.scheduler),
    beside: text(from.beside),
    set,
    edits: Object.fromEntries(edits),
    sm: Number.isInteger(from.sm) && from.sm! >= 0 ? from.sm! : 0,
  };
}

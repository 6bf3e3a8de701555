// Where the parts of the timeline lie.

import type { Model } from "./model";

export const GUTTER = 76;
export const AXIS = 26;
export const OVERVIEW = 34;
const LANE_GAP = 10;

export interface Band {
  kind: "lane" | "row";
  /** The place in `model.lanes` or `model.rows`. */
  index: number;
  top: number;
  height: number;
}

export interface Layout {
  bands: Band[];
  /** The bottom of the last band. */
  bottom: number;
  /** With axis and overview. */
  height: number;
}

export function layout(model: Model): Layout {
  const count = model.rows.length;
  const row = count <= 10 ? 26 : count <= 24 ? 18 : 12;
  const lane = Math.max(row, 16);
  const bands: Band[] = [];
  let top = 0;
  model.lanes.forEach(({ scheduler }, index) => {
    if (index > 0) top += LANE_GAP;
    bands.push({ kind: "lane", index, top, height: lane });
    top += lane + 2;
    model.rows.forEach((candidate, place) => {
      if (candidate.scheduler !== scheduler) return;
      bands.push({ kind: "row", index: place, top, height: row });
      top += row;
    });
  });
  return { bands, bottom: top, height: top + AXIS + OVERVIEW };
}

/** The band at a height. */
export function bandAt(layout: Layout, y: number): Band | undefined {
  return layout.bands.find((band) => y >= band.top && y < band.top + band.height);
}

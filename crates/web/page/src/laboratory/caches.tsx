// Level one, level two and DRAM: what they hold, and what waits in them.

import { integerText } from "../format";
import type { CacheView, DramAccess, Look, View } from "./protocol";

export function Caches(props: { view: View; look: Look; partitions: number; see: (part: Partial<Look>) => void }) {
  const { view, look, partitions, see } = props;
  const lsu = view.sm?.lsu;
  const partition = view.partition;
  return (
    <div class="caches">
      <section>
        <h3>Load/store unit and L1</h3>
        {lsu && (
          <>
            <ul class="queues">
              {lsu.queues.map((queue, number) => (
                <li>
                  <b>Queue {number}</b> <Fill used={queue.length} of={lsu.queue_entries} />
                  {queue.slice(0, 6).map(({ slot, kind, lines }) => (
                    <span class="item">
                      warp {slot}: {kind}
                      {lines > 0 && `, ${lines} ${lines === 1 ? "line" : "lines"}`}
                    </span>
                  ))}
                </li>
              ))}
              <li>
                <b>MSHRs</b> <Fill used={lsu.mshrs.length} of={lsu.mshr_entries} />
                {lsu.mshrs.slice(0, 8).map(({ line, requested, waiting }) => (
                  <span class="item">
                    <code>{hex(line)}</code> <Sectors of={requested} kind="coming" />{" "}
                    {waiting.length > 0 && `for warp ${[...new Set(waiting)].join(", ")}`}
                  </span>
                ))}
              </li>
              <li>
                <b>Loads under way</b> {lsu.loads.length}
              </li>
            </ul>
            <Sets name="L1" cache={lsu.l1} />
          </>
        )}
      </section>
      <section>
        <h3>
          L2 and DRAM{" "}
          {partitions > 1 && (
            <label class="unit">
              of partition{" "}
              <input
                type="number"
                min={0}
                max={partitions - 1}
                value={look.partition ?? 0}
                onChange={(event) => see({ partition: Math.min(Math.max(Number(event.currentTarget.value) || 0, 0), partitions - 1) })}
              />
            </label>
          )}
        </h3>
        {partition?.slices.map((slice, number) => (
          <div>
            <p>
              <b>Slice {number}</b> {slice.queue.length} requests wait{slice.blocked && ", blocked"}, {slice.mshrs.length}{" "}
              MSHRs in use
            </p>
            <Sets name={`L2 slice ${number}`} cache={slice.cache} />
          </div>
        ))}
        {partition?.channels.map((channel, number) => (
          <div>
            <p>
              <b>DRAM channel {number}</b> {channel.writing ? "writes" : "reads"}, {channel.reads.length} reads and{" "}
              {channel.writes.length} writes wait
            </p>
            <Banks rows={channel.open_rows} />
            <Waiting accesses={channel.reads} what="read" open={channel.open_rows} />
            <Waiting accesses={channel.writes} what="write" open={channel.open_rows} />
          </div>
        ))}
      </section>
      <label class="sets">
        sets of the caches from{" "}
        <input
          type="number"
          min={0}
          value={look.first_set}
          onChange={(event) => see({ first_set: Math.max(Number(event.currentTarget.value) || 0, 0) })}
        />
      </label>
    </div>
  );
}

function Fill({ used, of }: { used: number; of: number }) {
  return (
    <span class="fill" style={{ "--share": Math.min(used / Math.max(of, 1), 1) }}>
      {used} of {integerText(of)}
    </span>
  );
}

/** The open rows; a channel has many banks, and most are closed. */
function Banks({ rows }: { rows: (number | null)[] }) {
  const open = rows.flatMap((row, bank) => (row === null ? [] : [{ row, bank }]));
  return (
    <p class="items">
      <span class="faint">
        {open.length} of {rows.length} banks have an open row{open.length > 0 && ": "}
      </span>
      {open.slice(0, 24).map(({ row, bank }) => (
        <span class="item good">
          <small>bank {bank}</small> row {row}
        </span>
      ))}
      {open.length > 24 && ` and ${open.length - 24} more`}
    </p>
  );
}

function Waiting({ accesses, what, open }: { accesses: DramAccess[]; what: string; open: (number | null)[] }) {
  if (accesses.length === 0) return null;
  return (
    <p class="items">
      {accesses.slice(0, 12).map(({ bank, row, sectors }) => (
        <span class={`item ${open[bank] === row ? "good" : ""}`} title={open[bank] === row ? "its row is open" : "its row must be opened"}>
          {what} bank {bank} row {row} <Sectors of={sectors} kind="coming" />
        </span>
      ))}
      {accesses.length > 12 && ` and ${accesses.length - 12} more`}
    </p>
  );
}

/** The sets that hold a line, a box a line, with its sectors. */
function Sets({ name, cache }: { name: string; cache: CacheView }) {
  return (
    <>
      <p class="faint">
        {name}: {integerText(cache.lines)} of {integerText(cache.sets * cache.ways)} lines hold something
      </p>
      {cache.occupied.length > 0 && (
        <div class="pane" tabIndex={0} role="region" aria-label={`Sets of ${name}`}>
          <table class="code cache">
            <caption class="hidden">Sets of {name}</caption>
            <thead>
              <tr>
                <th scope="col" class="number">set</th>
                <th scope="col">lines</th>
              </tr>
            </thead>
            <tbody>
              {cache.occupied.map(({ set, lines }) => (
                <tr>
                  <th scope="row" class="number">{set}</th>
                  <td class="text">
                    {lines.map(({ way, line, valid, dirty, pinned }) => (
                      <span class={`item ${pinned ? "pinned" : ""}`} title={`way ${way}${pinned ? ", sectors are under way" : ""}`}>
                        <code>{hex(line)}</code> <Sectors of={valid} dirty={dirty} kind="valid" />
                      </span>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** The four sectors of a line. */
function Sectors({ of, dirty = 0, kind }: { of: number; dirty?: number; kind: "valid" | "coming" }) {
  const says = [0, 1, 2, 3].filter((sector) => (of >> sector) & 1).join(", ");
  return (
    <span class="sectors" role="img" aria-label={`sectors ${says || "none"}`}>
      {[0, 1, 2, 3].map((sector) => (
        <span class={(dirty >> sector) & 1 ? "dirty" : (of >> sector) & 1 ? kind : ""} />
      ))}
    </span>
  );
}

function hex(line: number): string {
  return line.toString(16);
}

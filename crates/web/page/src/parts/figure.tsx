// A picture with its title, what it says, and the table behind it.

import type { ComponentChildren } from "preact";

export function Figure(props: {
  id?: string;
  title: string;
  says?: ComponentChildren;
  table?: ComponentChildren;
  tableTitle?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="panel" id={props.id} aria-labelledby={props.id && `${props.id}-title`}>
      <h2 id={props.id && `${props.id}-title`}>{props.title}</h2>
      {props.says && <p class="says">{props.says}</p>}
      {props.children}
      {props.table && (
        <details class="behind">
          <summary>{props.tableTitle ?? "The numbers as a table"}</summary>
          <div class="scroll" tabIndex={0} role="region" aria-label={`${props.title}: table`}>
            {props.table}
          </div>
        </details>
      )}
    </section>
  );
}

/** A table with a head; numbers stand on the right. */
export function Table(props: { caption: string; heads: string[]; left?: number; rows: ComponentChildren[][] }) {
  const left = props.left ?? 1;
  return (
    <table>
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {props.heads.map((head, place) => (
            <th scope="col" class={place < left ? "" : "number"}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr>
            {row.map((cell, place) =>
              place === 0 ? <th scope="row">{cell}</th> : <td class={place < left ? "" : "number"}>{cell}</td>,
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

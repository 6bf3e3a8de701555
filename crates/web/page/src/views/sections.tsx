// The sections of the text report.

import { useState } from "preact/hooks";
import type { Metric, Section } from "../document";

export function SectionsView({ sections }: { sections: Section[] }) {
  const [explained, explain] = useState(false);
  const [all, showAll] = useState(false);
  return (
    <section class="panel" id="sections" aria-labelledby="sections-title">
      <h2 id="sections-title">All sections</h2>
      <div class="tools">
        <label>
          <input type="checkbox" checked={explained} onChange={() => explain(!explained)} /> explain the metrics
        </label>
        <label>
          <input type="checkbox" checked={all} onChange={() => showAll(!all)} /> also the metrics of the raw page
        </label>
      </div>
      <div class="sections">
        {sections.map((section) => (
          <SectionTable section={section} explained={explained} all={all} />
        ))}
      </div>
    </section>
  );
}

function SectionTable({ section, explained, all }: { section: Section; explained: boolean; all: boolean }) {
  return (
    <details open class="section" data-section={section.name}>
      <summary>
        <h3>{section.title}</h3>
      </summary>
      {explained && <p class="says">{section.description}</p>}
      <table>
        <caption class="hidden">{section.title}</caption>
        <thead class="hidden">
          <tr>
            <th scope="col">Metric Name</th>
            <th scope="col">Metric Value</th>
            <th scope="col">Metric Unit</th>
          </tr>
        </thead>
        <tbody>
          {section.metrics
            .filter((metric) => all || metric.in_report)
            .map((metric) => (
              <Row metric={metric} explained={explained} />
            ))}
        </tbody>
      </table>
      {section.verdicts.map((verdict) => (
        <p class={`says ${verdict.kind}`}>
          <b>{verdict.kind}</b> {verdict.text}
        </p>
      ))}
    </details>
  );
}

function Row({ metric, explained }: { metric: Metric; explained: boolean }) {
  return (
    <tr data-metric={metric.id}>
      <th scope="row">
        {metric.label}
        {explained && (
          <span class="explained">
            <code>{metric.id}</code> = {metric.formula}. {metric.description}
          </span>
        )}
      </th>
      <td class="number">{metric.shown}</td>
      <td class="unit">{metric.shown_unit}</td>
    </tr>
  );
}

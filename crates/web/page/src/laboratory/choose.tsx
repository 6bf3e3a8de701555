// What runs: launch, machine, scheduler, another scheduler beside it, and other changes of the machine.

import { useId } from "preact/hooks";
import type { Catalogue, SetUp } from "./protocol";

export function Choose(props: { catalogue: Catalogue; setup: SetUp; change: (change: Partial<SetUp>) => void }) {
  const { catalogue, setup, change } = props;
  const own = catalogue.launches.filter(({ path }) => path.startsWith("launches/"));
  const machineCode = catalogue.launches.filter(({ path }) => path.startsWith("machine-code/"));
  const known = catalogue.launches.some(({ path }) => path === setup.launch);
  const about = catalogue.launches.find(({ path }) => path === setup.launch)?.about;
  return (
    <>
      <div class="choose">
        <Select
          label="Launch"
          value={setup.launch}
          onChange={(launch) => change({ launch, gpu: undefined, edits: {} })}
        >
          {!known && <option value={setup.launch}>{short(setup.launch)}</option>}
          <optgroup label="PTX">
            {own.map(({ path, about }) => (
              <option value={path} title={about}>
                {short(path)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Machine code that ran on an H200">
            {machineCode.map(({ path }) => (
              <option value={path}>{short(path)}</option>
            ))}
          </optgroup>
        </Select>
        <Select label="Machine" value={setup.gpu ?? ""} onChange={(gpu) => change({ gpu: gpu || undefined })}>
          <option value="">as the launch says</option>
          {catalogue.machines.map(({ name, title }) => (
            <option value={name}>{title ?? name}</option>
          ))}
        </Select>
        <Scheduler
          label="Warp scheduler"
          none="as the machine has"
          catalogue={catalogue}
          value={setup.scheduler}
          onChange={(scheduler) => change({ scheduler })}
        />
        <Scheduler
          label="Beside it"
          none="nothing"
          catalogue={catalogue}
          value={setup.beside}
          onChange={(beside) => change({ beside })}
        />
        <label class="field wide">
          <span>Other changes of the machine, with spaces between</span>
          <input
            type="text"
            value={setup.set.join(" ")}
            placeholder="l2.kib=30080 multiprocessor.l1.hit_latency=60"
            spellcheck={false}
            onChange={(event) => change({ set: event.currentTarget.value.split(/\s+/).filter(Boolean) })}
          />
        </label>
      </div>
      {about && <p class="faint">{about}</p>}
    </>
  );
}

function Select(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: preact.ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.children}
      </select>
    </div>
  );
}

const FORMULA = "rank(select(issued_last, first, age))";

function Scheduler(props: {
  label: string;
  none: string;
  catalogue: Catalogue;
  value?: string;
  onChange: (value?: string) => void;
}) {
  const { label, none, catalogue, value, onChange } = props;
  const id = useId();
  const formula = value?.startsWith("rank(") ?? false;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
          id={id}
          value={formula ? "rank" : (value ?? "")}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            onChange(chosen === "rank" ? FORMULA : chosen || undefined);
          }}
        >
          <option value="">{none}</option>
          {catalogue.schedulers.map(({ name, summary }) => (
            <option value={name} title={summary}>
              {name}: {summary.replace(/\.$/, "").toLowerCase()}
            </option>
          ))}
          <option value="rank">a formula of your own</option>
        </select>
      {formula && (
        <input
          type="text"
          aria-label={`${label}: formula`}
          spellcheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      )}
    </div>
  );
}

/** A path as people call it. */
export function short(path: string): string {
  return path.replace(/^(launches|machine-code|labs)\//, "").replace(/\.ron$/, "");
}

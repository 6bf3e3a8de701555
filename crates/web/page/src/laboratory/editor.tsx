// A text with line numbers, colours, and its faults under the lines.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { languageOf } from "./languages";
import type { Fault } from "./protocol";

const STYLE = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.meta], color: "var(--code-word)" },
  { tag: tags.typeName, color: "var(--code-name)" },
  { tag: [tags.number, tags.string], color: "var(--code-value)" },
  { tag: [tags.variableName, tags.propertyName], color: "var(--code-variable)" },
]);

export function Editor(props: {
  path: string;
  text: string;
  faults: Fault[];
  onChange: (text: string) => void;
  /** Ctrl and Enter. */
  onRun?: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  // What was typed and has not come back as a property: it is no change from outside.
  const typed = useRef<string[]>([]);

  useEffect(() => {
    if (!place.current) return;
    typed.current = [];
    const made = new EditorView({ parent: place.current, state: state(latest, typed) });
    view.current = made;
    return () => made.destroy();
  }, [props.path]);
  useEffect(() => {
    const shown = view.current;
    const known = typed.current.indexOf(props.text);
    typed.current = known < 0 ? [] : typed.current.slice(known + 1);
    if (!shown || known >= 0 || shown.state.doc.toString() === props.text) return;
    shown.dispatch({
      changes: { from: 0, to: shown.state.doc.length, insert: props.text },
      annotations: FROM_OUTSIDE.of(true),
    });
  }, [props.text]);
  useEffect(() => {
    const shown = view.current;
    if (!shown) return;
    const end = shown.state.doc.length;
    const shownFaults: Diagnostic[] = props.faults.map((fault) => ({
      from: Math.min(fault.from, end),
      to: Math.min(Math.max(fault.to, fault.from), end),
      severity: fault.severity,
      message: fault.help ? `${fault.message}: ${fault.help}` : fault.message,
    }));
    shown.dispatch(setDiagnostics(shown.state, shownFaults));
  }, [props.faults, props.path]);
  return <div class="editor" ref={place} />;
}

/** Marks a change that a person has not typed. */
const FROM_OUTSIDE = Annotation.define<boolean>();

function state(latest: { current: Parameters<typeof Editor>[0] }, typed: { current: string[] }): EditorState {
  const { path, text } = latest.current;
  const run = () => {
    latest.current.onRun?.();
    return true;
  };
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightSelectionMatches(),
      lintGutter(),
      languageOf(path),
      syntaxHighlighting(STYLE),
      keymap.of([{ key: "Mod-Enter", run }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
      EditorView.contentAttributes.of({ "aria-label": `Text of ${path}`, tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || update.transactions.some((it) => it.annotation(FROM_OUTSIDE))) return;
        const text = update.state.doc.toString();
        typed.current.push(text);
        latest.current.onChange(text);
      }),
    ],
  });
}

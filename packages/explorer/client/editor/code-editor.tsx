import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { VNode } from 'preact';
import { baseExtensions } from './base-extensions.ts';
import { useApp } from '../app-context.ts';

/** Settings of {@link CodeEditor}. */
export interface CodeEditorProps {
  /** Its accessible name. */
  readonly label: string;
  readonly value: string;
  /** Absent: it can't be written to. */
  readonly onChange?: (value: string) => void;
  /** Those of the language; read once. */
  readonly extensions: readonly Extension[];
  /** Called with the view when it has been made, and with nothing when it is gone. */
  readonly onView?: (view: EditorView | undefined) => void;
}

/** A text editor: CodeMirror, held to a value. */
export function CodeEditor(props: CodeEditorProps): VNode {
  const { value } = props;
  const { settings } = useApp();
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useLayoutEffect(() => {
    if (!parent.current) return undefined;
    const made = createView(parent.current, latest, settings.styleNonce);
    view.current = made;
    latest.current.onView?.(made);
    return () => {
      latest.current.onView?.(undefined);
      made.destroy();
    };
  }, []);
  // At once: what is typed before an effect has run would be replaced by the value of before.
  useLayoutEffect(() => {
    if (view.current) replaceText(view.current, value);
  }, [value]);
  return <div class="editor" ref={parent} />;
}

function createView(
  parent: HTMLElement,
  latest: { readonly current: CodeEditorProps },
  styleNonce: string,
): EditorView {
  const { label, value, onChange, extensions } = latest.current;
  const listener = EditorView.updateListener.of((update) => {
    if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
  });
  const look = { label, styleNonce, isReadOnly: !onChange };
  const state = EditorState.create({ doc: value, extensions: [extensions, baseExtensions(look), listener] });
  return new EditorView({ state, parent });
}

function replaceText(view: EditorView, text: string): void {
  const before = view.state.doc.toString();
  if (before === text) return;
  view.dispatch({ changes: { from: 0, to: before.length, insert: text } });
}

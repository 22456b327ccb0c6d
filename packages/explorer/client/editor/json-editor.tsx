import { json } from '@codemirror/lang-json';
import type { VNode } from 'preact';
import { CodeEditor } from './code-editor.tsx';

const EXTENSIONS = [json()];

/** Settings of {@link JsonEditor}. */
export interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  /** Absent: it can't be written to. */
  readonly onChange?: (value: string) => void;
}

/** JSON, to write or to read. */
export function JsonEditor(props: JsonEditorProps): VNode {
  return <CodeEditor {...props} extensions={EXTENSIONS} />;
}

import { Prec } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
import { graphql, updateSchema } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CodeEditor } from './code-editor.tsx';

/** Settings of {@link QueryEditor}. */
export interface QueryEditorProps {
  readonly label: string;
  readonly value: string;
  readonly schema: GraphQLSchema | undefined;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  /** Someone wants to read about a field or a type. */
  readonly onShow: (field: string | undefined, type: string | undefined, parent: string | undefined) => void;
}

/** Where operations are written, with completion and checks by the schema. */
export function QueryEditor(props: QueryEditorProps): VNode {
  const { label, value, schema, onChange } = props;
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const extensions = useMemo(
    () => [
      graphql(schema, { onShowInDocs: (field, type, parent) => latest.current.onShow(field, type, parent) }),
      runOnEnter(() => latest.current.onRun()),
    ],
    [],
  );
  useEffect(() => {
    if (view.current && schema) updateSchema(view.current, schema);
  }, [schema]);
  const onView = (made: EditorView | undefined): void => {
    view.current = made;
  };
  return (
    <CodeEditor label={label} value={value} onChange={onChange} extensions={extensions} onView={onView} />
  );
}

function runOnEnter(run: () => void): ReturnType<typeof Prec.highest> {
  const command = (): boolean => {
    run();
    return true;
  };
  return Prec.highest(keymap.of([{ key: 'Mod-Enter', run: command }]));
}

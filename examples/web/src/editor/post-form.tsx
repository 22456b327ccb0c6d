import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { useTexts } from '../texts/texts-context.tsx';
import type { Written } from './written.ts';

interface PostFormProps {
  readonly written: Written;
  readonly onChange: (written: Written) => void;
  /** @param action the value of the button */
  readonly onSubmit: (action: string) => void;
  /** The buttons, each with a value. */
  readonly children: ReactNode;
}

type Field = keyof Written;

const LIMITS: Readonly<Record<Field, number>> = { title: 200, body: 100_000, tags: 1_100 };

/** Title, text and tags of a post. */
export function PostForm({ written, onChange, onSubmit, children }: PostFormProps) {
  const { texts } = useTexts();
  const [missing, setMissing] = useState<readonly Field[]>([]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const empty = (['title', 'body'] as const).filter((field) => written[field].trim() === '');
    setMissing(empty);
    const [first] = empty;
    if (first) return (event.currentTarget.elements.namedItem(first) as HTMLElement).focus();
    const { submitter } = event.nativeEvent as SubmitEvent;
    onSubmit(submitter instanceof HTMLButtonElement ? submitter.value : '');
  };
  const field = (name: Field, label: string, hint: string, rows = 1) => (
    <TextField
      name={name}
      label={label}
      hint={hint}
      rows={rows}
      value={written[name]}
      isMissing={missing.includes(name)}
      onChange={(value) => onChange({ ...written, [name]: value })}
    />
  );
  return (
    <form noValidate onSubmit={submit} className="post-form">
      {field('title', texts.title, texts.titleHint)}
      {field('body', texts.body, texts.bodyHint, 14)}
      {field('tags', texts.tags, texts.tagsHint)}
      <div className="actions">{children}</div>
    </form>
  );
}

interface TextFieldProps {
  readonly name: Field;
  readonly label: string;
  readonly hint: string;
  readonly rows: number;
  readonly value: string;
  readonly isMissing: boolean;
  readonly onChange: (value: string) => void;
}

function TextField({ name, label, hint, rows, value, isMissing, onChange }: TextFieldProps) {
  const { texts } = useTexts();
  const id = useId();
  const control = {
    id,
    name,
    value,
    maxLength: LIMITS[name],
    'aria-describedby': `${id}-hint${isMissing ? ` ${id}-problem` : ''}`,
    'aria-invalid': isMissing,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`} className="hint">
        {hint}
      </p>
      {rows > 1 ? <textarea {...control} rows={rows} /> : <input {...control} />}
      {isMissing && (
        <p id={`${id}-problem`} className="problem">
          {texts.required}
        </p>
      )}
    </div>
  );
}

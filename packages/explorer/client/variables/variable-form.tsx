import {
  getNullableType,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
  type GraphQLList,
} from 'graphql';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { withValue, type OperationVariable } from './variable-types.ts';

/** Settings of {@link VariableForm}. */
export interface VariableFormProps {
  readonly variables: readonly OperationVariable[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void;
}

/** A form for the variables of an operation, made of their types. */
export function VariableForm({ variables, values, onChange }: VariableFormProps): VNode {
  const { texts } = useApp();
  if (variables.length === 0) return <p>{texts.noVariables}</p>;
  return (
    <div class="form">
      {variables.map(({ name, type }) => (
        <Field
          key={name}
          label={`$${name}: ${String(type)}`}
          type={type}
          value={values[name]}
          depth={0}
          onChange={(value) => onChange(withValue(values, name, value))}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly type: GraphQLInputType;
  /** Absent: not given. */
  readonly value: unknown;
  /** How many fields it is in. */
  readonly depth: number;
  readonly onChange: (value: unknown) => void;
}

/** Types may contain themselves; so deep, JSON is written instead. */
const MAX_DEPTH = 4;

function Field(props: FieldProps): VNode {
  const { type, depth } = props;
  const named = getNullableType(type);
  if (isListType(named) && depth < MAX_DEPTH) return <ListField {...props} />;
  if (isInputObjectType(named) && depth < MAX_DEPTH) return <ObjectField {...props} />;
  return <LeafField {...props} />;
}

function ObjectField({ label, type, value, depth, onChange }: FieldProps): VNode | null {
  const named = getNullableType(type);
  if (!isInputObjectType(named)) return null;
  const values = isObject(value) ? value : {};
  return (
    <fieldset>
      <legend>{label}</legend>
      {Object.values(named.getFields()).map((field) => (
        <Field
          key={field.name}
          label={`${field.name}: ${String(field.type)}`}
          type={field.type}
          value={values[field.name]}
          depth={depth + 1}
          onChange={(inner) => onChange(withValue(values, field.name, inner))}
        />
      ))}
    </fieldset>
  );
}

function ListField({ label, type, value, depth, onChange }: FieldProps): VNode {
  const { texts } = useApp();
  const { ofType } = getNullableType(type) as GraphQLList<GraphQLInputType>; // the caller has looked
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <div class="item" key={index}>
          <Field
            label={`${index + 1}: ${String(ofType)}`}
            type={ofType}
            value={item ?? undefined}
            depth={depth + 1}
            onChange={(inner) => onChange(items.with(index, inner ?? null))}
          />
          <button
            type="button"
            class="plain"
            aria-label={texts.removeItem(index + 1)}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="secondary" onClick={() => onChange([...items, null])}>
        {texts.addItem}
      </button>
    </fieldset>
  );
}

function LeafField(props: FieldProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <LeafInput {...props} id={id} />
    </div>
  );
}

function LeafInput({ id, type, value, onChange }: FieldProps & { readonly id: string }): VNode {
  const { texts } = useApp();
  const named = getNullableType(type);
  const choices = choicesOf(named);
  const required = isNonNullType(type);
  if (choices)
    return (
      <select
        id={id}
        required={required}
        value={typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''}
        onChange={({ currentTarget }) => onChange(choiceOf(currentTarget.value, named))}
      >
        <option value="">{texts.absent}</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (named === GraphQLInt || named === GraphQLFloat)
    return (
      <input
        id={id}
        type="number"
        required={required}
        step={named === GraphQLInt ? 1 : 'any'}
        value={typeof value === 'number' ? value : ''}
        onInput={({ currentTarget }) => onChange(numberOf(currentTarget.value))}
      />
    );
  if (named === GraphQLString || named === GraphQLID)
    return (
      <input
        id={id}
        type="text"
        required={required}
        value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
        placeholder={value === undefined ? texts.absent : ''}
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : currentTarget.value)
        }
      />
    );
  return <JsonInput id={id} required={required} value={value} onChange={onChange} />;
}

function choicesOf(type: GraphQLInputType): readonly string[] | undefined {
  if (type === GraphQLBoolean) return ['true', 'false'];
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : undefined;
}

function choiceOf(text: string, type: GraphQLInputType): unknown {
  if (text === '') return undefined;
  return type === GraphQLBoolean ? text === 'true' : text;
}

function numberOf(text: string): number | undefined {
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
}

interface JsonInputProps {
  readonly id: string;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A scalar of the schema's own, or a type that is too deep: text that is JSON, or else a text. */
function JsonInput({ id, required, value, onChange }: JsonInputProps): VNode {
  const [text, setText] = useState(textOf(value));
  const write = (written: string): void => {
    setText(written);
    onChange(written.trim() === '' ? undefined : jsonOf(written));
  };
  return (
    <input
      id={id}
      type="text"
      required={required}
      value={text}
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

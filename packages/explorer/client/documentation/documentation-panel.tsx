import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
} from 'graphql';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatClauses, type FieldFacts } from '../schema/field-facts.ts';
import type { LoadedSchema } from '../schema/load-schema.ts';
import { useApp } from '../app-context.ts';
import { FieldUsers } from './field-users.tsx';
import { membersOf, searchSchema, visibleTypes, type SchemaPlace } from './search-schema.ts';

/** Settings of {@link DocumentationPanel}. */
export interface DocumentationPanelProps {
  readonly loaded: LoadedSchema;
  /** What is shown; absent: all types. */
  readonly place: SchemaPlace | undefined;
  readonly onShow: (place: SchemaPlace | undefined) => void;
}

/** The schema to read: types, fields, and of each field its cost, the rights it takes and where it comes from. */
export function DocumentationPanel({ loaded, place, onShow }: DocumentationPanelProps): VNode {
  const { texts } = useApp();
  const [text, setText] = useState('');
  const type = place && loaded.schema.getType(place.type);
  return (
    <>
      <input
        type="search"
        class="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {text.trim() !== '' && (
        <Matches loaded={loaded} text={text} onShow={(found) => (setText(''), onShow(found))} />
      )}
      {text.trim() === '' && type && (
        <TypeView loaded={loaded} type={type} field={place.field} onShow={onShow} />
      )}
      {text.trim() === '' && !type && <TypeList loaded={loaded} onShow={onShow} />}
    </>
  );
}

interface Showing {
  readonly loaded: LoadedSchema;
  readonly onShow: (place: SchemaPlace | undefined) => void;
}

function Matches({ loaded, text, onShow }: Showing & { readonly text: string }): VNode {
  const { texts } = useApp();
  const found = searchSchema(loaded.schema, text);
  if (found.length === 0) return <p role="status">{texts.noMatches}</p>;
  return (
    <ul class="choices">
      {found.map((place) => (
        <li key={coordinateOf(place)}>
          <button type="button" class="plain code" onClick={() => onShow(place)}>
            {coordinateOf(place)}
          </button>
          <Facts facts={loaded.facts[coordinateOf(place)]} />
        </li>
      ))}
    </ul>
  );
}

function coordinateOf({ type, field }: SchemaPlace): string {
  return field === undefined ? type : `${type}.${field}`;
}

function TypeList({ loaded: { schema }, onShow }: Showing): VNode {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (type) => type !== null && type !== undefined,
  );
  const others = visibleTypes(schema).filter((type) => !roots.some(({ name }) => name === type.name));
  return (
    <ul class="choices">
      {[...roots, ...others].map(({ name }) => (
        <li key={name}>
          <button type="button" class="plain" onClick={() => onShow({ type: name })}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface TypeViewProps extends Showing {
  readonly type: GraphQLNamedType;
  readonly field: string | undefined;
}

function TypeView({ loaded, type, field, onShow }: TypeViewProps): VNode {
  const { texts } = useApp();
  const shown = field === undefined ? undefined : membersOf(type).find(({ name }) => name === field);
  const members = shown ? [shown] : membersOf(type);
  const possible = isUnionType(type) || isInterfaceType(type) ? loaded.schema.getPossibleTypes(type) : [];
  return (
    <section aria-label={type.name}>
      <button type="button" class="plain" onClick={() => onShow(shown ? { type: type.name } : undefined)}>
        ‹ {shown ? type.name : texts.allTypes}
      </button>
      <h2 class="code">{coordinateOf({ type: type.name, field: shown?.name })}</h2>
      {!shown && type.description && <p>{type.description}</p>}
      <ul class="members">
        {members.map((member) => (
          <li key={member.name}>
            <strong>{member.name}</strong>
            {'type' in member && (
              <TypeLink type={(member as GraphQLField<unknown, unknown>).type} onShow={onShow} />
            )}
            <Facts facts={isOutput(type) ? loaded.facts[`${type.name}.${member.name}`] : undefined} />
            {member.description && <p>{member.description}</p>}
            {'args' in member && (
              <Arguments of={(member as GraphQLField<unknown, unknown>).args} onShow={onShow} />
            )}
          </li>
        ))}
      </ul>
      {shown && isOutput(type) && <FieldUsers field={coordinateOf({ type: type.name, field: shown.name })} />}
      {possible.length > 0 && (
        <>
          <h3>{texts.possibleTypes}</h3>
          <ul class="choices">
            {possible.map(({ name }) => (
              <li key={name}>
                <button type="button" class="plain" onClick={() => onShow({ type: name })}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function isOutput(type: GraphQLNamedType): boolean {
  return isObjectType(type) || isInterfaceType(type);
}

function TypeLink({
  type,
  onShow,
}: Pick<Showing, 'onShow'> & {
  readonly type: GraphQLArgument['type'] | GraphQLField<unknown, unknown>['type'];
}): VNode {
  return (
    <button type="button" class="plain type code" onClick={() => onShow({ type: getNamedType(type).name })}>
      {String(type)}
    </button>
  );
}

function Arguments({
  of,
  onShow,
}: Pick<Showing, 'onShow'> & { readonly of: readonly GraphQLArgument[] }): VNode | null {
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map(({ name, type, description, defaultValue }) => (
        <li key={name}>
          {name} <TypeLink type={type} onShow={onShow} />
          {defaultValue !== undefined && ` = ${JSON.stringify(defaultValue)}`}
          {description && <p>{description}</p>}
        </li>
      ))}
    </ul>
  );
}

function Facts({ facts }: { readonly facts: FieldFacts | undefined }): VNode | null {
  const { texts } = useApp();
  if (!facts) return null;
  const { subgraphs = [], weight, listSize, authenticated, scopes = [], policies = [] } = facts;
  const size = listSize?.assumedSize ?? listSize?.slicingArguments?.join(', ');
  const needsMore = scopes.length > 0 || policies.length > 0;
  const badges = [
    ...(subgraphs.length > 0 ? [['owner', texts.ownedBy(subgraphs.join(', '))]] : []),
    ...(weight === undefined ? [] : [['cost', texts.costsOf(String(weight))]]),
    ...(size === undefined ? [] : [['cost', texts.costsOf(`× ${size}`)]]),
    ...(authenticated && !needsMore ? [['right', texts.needsToken]] : []),
    ...(scopes.length > 0 ? [['right', texts.needsScopes(formatClauses(scopes))]] : []),
    ...(policies.length > 0 ? [['right', texts.needsPolicies(formatClauses(policies))]] : []),
  ];
  return (
    <span class="badges">
      {badges.map(([kind, words]) => (
        <span class={`badge ${kind}`} key={words}>
          {words}
        </span>
      ))}
    </span>
  );
}

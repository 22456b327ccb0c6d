import type { Schema } from '@apollo/federation-internals';
import { federationInternals } from './apollo-packages.ts';

/** Names of the fields that a progressive override is about, by its label. */
export type OverrideLabels = ReadonlyMap<string, ReadonlySet<string>>;

/** Stands for every field: an override of what others require matters although no operation selects it by name. */
export const ALWAYS = '*';

/** What an operation is prepared by, read from a supergraph once. */
export interface SchemaHints {
  /**
   * Names of fields that keys, requirements and contexts are made of, and the keys with a meaning of their own. The planner
   * fetches such fields under their own names, beside what the client asked for; a client's `id: name` would be
   * overwritten by it.
   */
  readonly reservedKeys: ReadonlySet<string>;
  /** Interfaces that some subgraph takes for objects (`@interfaceObject`). */
  readonly interfaceObjects: ReadonlySet<string>;
  /**
   * `Interface.field` of fields that such a subgraph resolves from what others answer. Below a condition on an object type
   * the planner may never end with them, so they are planned on the interface.
   */
  readonly plannedOnInterface: ReadonlySet<string>;
  /**
   * `Type.field` of object types that such a subgraph knows by their interface only. There the planner asks for the fields of
   * all these types in one place, and takes two of different types for one where they have the same response key.
   */
  readonly askedOnInterface: ReadonlySet<string>;
  /** Progressive overrides, and the fields that they are about. */
  readonly overrideLabels: OverrideLabels;
}

const NAMES = /[_A-Za-z][_0-9A-Za-z]*/g;

/** Reads the hints of a supergraph. */
export function readSchemaHints(schema: Schema): SchemaHints {
  const reservedKeys = new Set([
    '__typename',
    '_entities',
    '_service',
    ...Object.getOwnPropertyNames(Object.prototype),
  ]);
  const interfaceObjects = new Set<string>();
  for (const definition of schema.directives()) {
    if (!definition.name.startsWith('join__')) continue;
    for (const application of definition.applications()) {
      const given: Readonly<Record<string, unknown>> = application.arguments();
      for (const text of fieldSetsOf(given)) {
        for (const [field] of text.matchAll(NAMES)) reservedKeys.add(field);
      }
      const { parent } = application;
      const name = 'name' in parent ? parent.name : undefined;
      if (given['isInterfaceObject'] === true && typeof name === 'string') interfaceObjects.add(name);
    }
  }
  return {
    reservedKeys,
    interfaceObjects,
    plannedOnInterface: fieldsToHoist(schema, interfaceObjects),
    askedOnInterface: fieldsOfImplementations(schema, interfaceObjects),
    overrideLabels: readOverrideLabels(schema, reservedKeys),
  };
}

function readOverrideLabels(schema: Schema, reservedKeys: ReadonlySet<string>): OverrideLabels {
  const labels = new Map<string, Set<string>>();
  for (const application of schema.directive('join__field')?.applications() ?? []) {
    const { overrideLabel }: Readonly<Record<string, unknown>> = application.arguments();
    const { parent } = application;
    if (typeof overrideLabel !== 'string' || !('name' in parent)) continue;
    const fields = labels.get(overrideLabel) ?? new Set();
    const name = String(parent.name);
    labels.set(overrideLabel, fields.add(reservedKeys.has(name) ? ALWAYS : name));
  }
  return labels;
}

function fieldSetsOf({ key, requires, contextArguments }: Readonly<Record<string, unknown>>): string[] {
  const selections = Array.isArray(contextArguments)
    ? contextArguments.map((argument: { readonly selection?: unknown }): unknown => argument.selection)
    : [];
  const texts: unknown[] = [key, requires, ...selections];
  return texts.filter((text): text is string => typeof text === 'string');
}

function fieldsToHoist(schema: Schema, interfaceObjects: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const interfaceName of interfaceObjects) {
    const type = schema.type(interfaceName);
    if (!type || !federationInternals.isInterfaceType(type)) continue;
    const requiring = type
      .fields()
      .filter((field) =>
        field.appliedDirectives.some((directive) => directive.arguments()['requires'] !== undefined),
      );
    for (const { name } of requiring) names.add(`${interfaceName}.${name}`);
  }
  return names;
}

function fieldsOfImplementations(schema: Schema, interfaceObjects: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const interfaceName of interfaceObjects) {
    const type = schema.type(interfaceName);
    if (!type || !federationInternals.isInterfaceType(type)) continue;
    for (const { name } of type.possibleRuntimeTypes())
      for (const field of type.fields()) names.add(`${name}.${field.name}`);
  }
  return names;
}

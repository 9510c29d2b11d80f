import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { configInput } from '../../config-input.mjs';
import { readSchema } from '../../src/config/schema/compile-schema.js';

/** The part of a JSON Schema that says something of a setting. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
  readonly default?: unknown;
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

const config = readSchema('config') as Schema;
const source = ts.createSourceFile(
  'config-input.ts',
  configInput(config),
  ts.ScriptTarget.Latest,
  true,
);

/** What an editor shows of each setting, by its path; and its schema. */
const shown = new Map<string, { comment: string; schema: Schema }>();

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : { ...config.$defs?.[schema.$ref.replace('#/$defs/', '')], ...schema };

/** The schema that has the fields of a setting: its own, or those of its items or values. */
function withFields(written: Schema): Schema {
  const schema = resolved(written);
  if (schema.properties) return schema;
  const { additionalProperties: values, items } = schema;
  const inner = typeof values === 'object' ? values : items;
  return inner ? withFields(inner) : {};
}

function firstLiteral(node: ts.Node): ts.TypeLiteralNode | undefined {
  return ts.isTypeLiteralNode(node) ? node : ts.forEachChild(node, firstLiteral);
}

function collect(members: ts.NodeArray<ts.TypeElement>, written: Schema, path: string): void {
  const { properties = {} } = withFields(written);
  for (const member of members) {
    if (!ts.isPropertySignature(member)) continue;
    const name = member.name.getText();
    const at = `${path}${name}`;
    const comment = ts
      .getJSDocCommentsAndTags(member)
      .map((doc) => doc.getText())
      .join(' ');
    const schema = resolved(properties[name] ?? {});
    shown.set(at, { comment, schema });
    const inner = member.type && firstLiteral(member.type);
    if (inner) collect(inner.members, schema, `${at}.`);
  }
}

const roots: Record<string, Schema> = {
  ConfigInput: config,
  ProviderInput: config.$defs?.['provider'] ?? {},
  ModelInput: config.$defs?.['model'] ?? {},
  ToolkitInput: config.$defs?.['toolkit'] ?? {},
  ListenerInput: config.$defs?.['listener'] ?? {},
  LimitsInput: config.$defs?.['limits'] ?? {},
};
for (const statement of source.statements)
  if (ts.isInterfaceDeclaration(statement))
    collect(statement.members, roots[statement.name.text] ?? {}, `${statement.name.text}.`);

describe('what an editor shows of the configuration', () => {
  it('is there for each setting', () => {
    expect(shown.size).toBeGreaterThan(100);
    const silent = [...shown].filter(([, { comment }]) => comment.replace(/[\s*/]/g, '') === '');
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('names the default of each setting that has one; null is none', () => {
    const withDefault = [...shown].filter(([, { schema }]) => (schema.default ?? null) !== null);
    expect(withDefault.length).toBeGreaterThan(40);
    const unnamed = withDefault.filter(([, { comment }]) => !/\bdefault:/i.test(comment));
    expect(unnamed.map(([path]) => path)).toEqual([]);
  });

  it('is of each setting that the schema has', () => {
    const paths = (written: Schema, path: string): string[] =>
      Object.entries(withFields(written).properties ?? {}).flatMap(([name, inner]) => [
        `${path}${name}`,
        ...(/#\/\$defs\/(provider|model|toolkit)$/.test(JSON.stringify(inner))
          ? []
          : paths(inner, `${path}${name}.`)),
      ]);
    const wanted = Object.entries(roots).flatMap(([name, schema]) => paths(schema, `${name}.`));
    const isOwn = (path: string): boolean =>
      !/^ConfigInput\.(providers|models|toolkits|surfaces\.\w+|auth\.(keys\.limits|signUpLimits))\./.test(
        path,
      );
    expect([...shown.keys()].sort()).toEqual([...new Set(wanted.filter(isOwn))].sort());
  });
});

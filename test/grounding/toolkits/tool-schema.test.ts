import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolkitTool, toolNameOf } from '../../../src/grounding/toolkits/toolkit-tool.js';
import { readToolSchema } from '../../../src/grounding/toolkits/tool-schema.js';
import { runs } from '../../helpers/runs.js';

const schemaOf = (written: unknown): unknown => {
  const read = readToolSchema(written);
  return 'schema' in read ? read.schema : read.problem;
};

describe('the schema of a tool', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, { type: 'object', properties: {} }],
    [
      'names of schemas',
      { $schema: 'x', $id: 'y', type: 'object', properties: { $id: { type: 'string' } } },
      { type: 'object', properties: { $id: { type: 'string' } } },
    ],
    [
      'references',
      {
        properties: { a: { $ref: '#/$defs/a~1b' }, c: { $ref: '#/$defs/a~1b', title: 'C' } },
        $defs: { 'a/b': { type: 'number' } },
      },
      { type: 'object', properties: { a: { type: 'number' }, c: { type: 'number', title: 'C' } } },
    ],
    [
      'a reference to itself',
      { properties: { a: { $ref: '#' } } },
      { type: 'object', properties: { a: { properties: { a: {} } } } },
    ],
    [
      'a reference elsewhere',
      { properties: { a: { $ref: 'https://elsewhere.example/a.json' } } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'a choice at the root',
      { type: 'object', anyOf: [{ required: ['a'] }], properties: { a: { anyOf: [{}] } } },
      { type: 'object', properties: { a: { anyOf: [{}] } } },
    ],
    ['a list', { type: 'array' }, 'it describes no object'],
    ['a text', 'object', 'it is no object'],
    ['properties that are a list', { properties: [] }, 'its `properties` is no schema'],
    ['a property that is a text', { properties: { a: 'b' } }, 'its `properties` is no schema'],
    ['a choice that is no list', { properties: { a: { anyOf: {} } } }, 'its `anyOf` is no list'],
    ['required that is a text', { required: 'a' }, 'its `required` is no list of names'],
    [
      'a broken reference',
      { properties: { a: { $ref: '#/b' } } },
      'one of its references leads nowhere',
    ],
  ])('with %s is read', (_name, written, expected) => {
    expect(schemaOf(written)).toEqual(expected);
  });

  it('that grows without end by its references is refused', () => {
    const doubled = Object.fromEntries(
      Array.from({ length: 14 }, (_, level) => [
        `l${level}`,
        { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
      ]),
    );
    const $defs = { ...doubled, l14: { type: 'string' } };
    expect(schemaOf({ properties: { a: { $ref: '#/$defs/l0' } }, $defs })).toMatch(/deeper|parts/);
    const long = { enum: ['x'.repeat(30_000)] };
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, place) => [`p${place}`, { $ref: '#/$defs/long' }]),
    );
    expect(schemaOf({ properties: many, $defs: { long } })).toBe(
      'it has more than 32768 characters',
    );
  });

  it('is an object within bounds, or refused, whatever it is', () => {
    const keyword = fc.constantFrom(
      ...['type', 'properties', 'items', 'anyOf', '$ref', '$defs', 'required', '__proto__', 'a'],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, true, 1, 'object', 'string', '#', '#/$defs/a', '#/properties'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (written) => {
        const read = readToolSchema(written);
        if ('problem' in read) {
          expect(read.problem).not.toBe('');
          return;
        }
        expect(read.schema.type).toBe('object');
        expect(JSON.stringify(read.schema).length).toBeLessThan(80_000);
      }),
      { numRuns: runs(500) },
    );
  });
});

const toolOf = (parameters: object) =>
  toolkitTool(
    { config: { name: 'dns', clientApproval: [] }, withoutSecrets: String } as never,
    { name: 'a', description: '', parameters },
    {} as never,
  );

it('a tool is offered with a schema of an older draft, in the words of 2020-12', () => {
  const integer = { type: 'integer' };
  const tool = toolOf({
    properties: {
      ttl: { type: 'integer', minimum: 0, exclusiveMinimum: true },
      // the MCP SDK writes a type that is used twice so
      window: { type: 'array', items: [integer, { $ref: '#/properties/window/items/0' }] },
      size: { $ref: '#/components/schemas/size' },
    },
    components: { schemas: { size: { type: 'int', minimum: 0, exclusiveMinimum: true } } },
  });
  expect(tool).toMatchObject({
    definition: {
      function: {
        parameters: {
          type: 'object',
          properties: {
            ttl: { type: 'integer', exclusiveMinimum: 0 },
            window: { items: {}, prefixItems: [integer, integer] },
            size: { type: 'integer', exclusiveMinimum: 0 },
          },
        },
      },
    },
  });
});

it('a tool is left out whose schema is deeper than any stack', () => {
  const depth = 20_000;
  const text = `${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`;
  expect(toolOf(JSON.parse(text) as object)).toContain('it is deeper than 16 levels');
});

describe('the name of a tool', () => {
  it('is that of the toolkit and its own', () => {
    expect(toolNameOf('files', 'read_text')).toBe('files__read_text');
  });

  it('fits every provider, is stable, and differs for different tools', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9]{1,32}$/),
        fc.string({ minLength: 1, maxLength: 100 }),
        fc.string({ minLength: 1, maxLength: 100 }),
        (toolkit, one, other) => {
          const name = toolNameOf(toolkit, one);
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(toolNameOf(toolkit, one)).toBe(name);
          expect(toolNameOf(toolkit, other) === name).toBe(one === other);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

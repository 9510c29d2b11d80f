import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileSchema,
  fieldName,
  readSchema,
  schemaNames,
  SchemaSet,
  type JsonSchema,
} from '../../src/config/schema/compile-schema.js';
import { rankers } from '../../src/chooser/rankers/index.js';
import { runs } from '../helpers/runs.js';

const block = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { type: 'string', enum: ['text'] }, text: { type: 'string' } },
};
const body: JsonSchema = {
  type: 'object',
  required: ['models', 'messages'],
  properties: {
    messages: {
      type: 'array',
      minItems: 1,
      maxItems: 128,
      items: {
        type: 'object',
        required: ['role', 'content'],
        properties: {
          role: { type: 'string', enum: ['system', 'user', 'assistant'] },
          content: {
            anyOf: [
              { type: 'string', minLength: 1 },
              { type: 'array', minItems: 1, items: block },
            ],
            'x-reason': 'must be a string or an array of content blocks',
          },
        },
      },
    },
    models: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'string',
        pattern: '^[^/]+/.+$',
        'x-reason': { pattern: 'must be <provider>/<model>' },
      },
    },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    maxRetries: { type: ['integer', 'null'], minimum: 0 },
    stream: { type: ['boolean', 'null'] },
    site: { type: 'string', format: 'uri' },
  },
};
const schemas = new SchemaSet({ body });
const validator = schemas.compile('body');
const good = { messages: [{ role: 'user', content: 'hi' }], models: ['a/b'] };
const messageOf = (value: unknown, checked = validator) => {
  const failure = checked.firstFailure(value);
  return failure === null ? null : `${failure.field}: ${failure.reason}`;
};
const withContent = (content: unknown) =>
  messageOf({ ...good, messages: [{ role: 'user', content }] });
const compiled = (schema: JsonSchema) => new SchemaSet({ it: schema }).compile('it');

describe('a validator', () => {
  it('accepts what satisfies the schema, with undeclared keys', () => {
    expect(validator.accepts({ ...good, temperature: null, extra: 1 })).toBe(true);
    expect(validator.firstFailure(good)).toBeNull();
    expect(validator.failures(good, 5)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a body that is no object', [], 'body: must be an object'],
    ['null', null, 'body: must be an object'],
    ['a missing property', { models: ['a/b'] }, 'messages: is required'],
    ['a wrong type', { ...good, messages: 'hi' }, 'messages: must be an array'],
    ['an empty list', { ...good, messages: [] }, 'messages: must have at least 1 item'],
    [
      'a list that is too long',
      { ...good, messages: Array(129).fill(good.messages[0]) },
      'messages: must have at most 128 items',
    ],
    [
      'a missing inner property',
      { ...good, messages: [{ role: 'user' }] },
      'messages[0][content]: is required',
    ],
    [
      'a value outside of a list',
      { ...good, messages: [{ role: 'robot', content: 'hi' }] },
      'messages[0][role]: must be one of: system, user, assistant',
    ],
    [
      'a number out of its range',
      { ...good, temperature: 2 },
      'temperature: must be between 0 and 1',
    ],
    ['a number below its minimum', { ...good, maxRetries: -1 }, 'maxRetries: must be at least 0'],
    ['a fraction', { ...good, maxRetries: 1.5 }, 'maxRetries: must be a whole number'],
    ['a text for a boolean', { ...good, stream: 'yes' }, 'stream: must be true or false'],
    [
      'a reason of the schema',
      { ...good, models: ['ok/ok', 'noslash'] },
      'models[1]: must be <provider>/<model>',
    ],
    [
      'a keyword for which the schema gives no reason',
      { ...good, models: [1] },
      'models[0]: must be a string',
    ],
    ['a format', { ...good, site: 'nope' }, 'site: must be a valid uri'],
  ])('names the field and the reason of %s', (_, value, message) => {
    expect(messageOf(value)).toBe(message);
    expect(validator.accepts(value)).toBe(false);
  });

  it('names, of several failures, the one whose property is declared first', () => {
    expect(messageOf({})).toBe('messages: is required');
    expect(messageOf({ messages: [], temperature: 9 })).toBe('messages: must have at least 1 item');
    expect(messageOf({ messages: [{ content: '', role: 3 }], temperature: 9 })).toBe(
      'messages[0][role]: must be a string',
    );
    expect(
      messageOf({
        ...good,
        messages: [{ role: 'user', content: 'x' }, { role: 'user' }, 5],
        stream: 1,
      }),
    ).toBe('messages[1][content]: is required');
    expect(messageOf({ stream: 1, temperature: 7, messages: good.messages })).toBe(
      'models: is required',
    );
  });

  it('says what concerns the whole object after its properties', () => {
    const either = compiled({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      'x-reason': { anyOf: 'must have a or b' },
    });
    expect(messageOf({ c: 1 }, either)).toBe('body: must have a or b');
    expect(messageOf({ a: 1 }, either)).toBe('a: must be a string');
  });
});

describe('a failed anyOf', () => {
  it.each<[string, unknown, string]>([
    [
      'a value of none of the kinds',
      5,
      'messages[0][content]: must be a string or an array of content blocks',
    ],
    ['null', null, 'messages[0][content]: must be a string or an array of content blocks'],
    ['an empty text', '', 'messages[0][content]: must not be empty'],
    ['an empty list', [], 'messages[0][content]: must have at least 1 item'],
    [
      'an item without a property',
      [{ type: 'text' }],
      'messages[0][content][0][text]: is required',
    ],
    [
      'an item of the wrong kind',
      [{ type: 'text', text: 'a' }, { type: 'song' }],
      'messages[0][content][1][type]: must be one of: text',
    ],
  ])('gives one reason for %s', (_, content, message) =>
    expect(withContent(content)).toBe(message),
  );

  it('follows the branch whose constant matches, or names all constants', () => {
    const tagged = (type: string, field: string) => ({
      type: 'object',
      required: ['type', field],
      properties: { type: { const: type }, [field]: { type: 'string' } },
    });
    const union = compiled({
      type: 'array',
      items: { anyOf: [tagged('text', 'text'), tagged('image', 'url')] },
    });
    expect(messageOf([{ type: 'image' }], union)).toBe('0[url]: is required');
    expect(messageOf([{ type: 'song' }], union)).toBe('0[type]: must be one of: text, image');
    expect(messageOf([7], union)).toBe('0: must be an object');
  });

  it('names the kinds where the schema gives no reason, without null', () => {
    const union = compiled({
      type: 'object',
      properties: {
        stop: {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: { type: 'string' } },
            { type: 'null' },
          ],
        },
      },
    });
    expect(messageOf({ stop: 5 }, union)).toBe('stop: must be a string or an array');
    expect(messageOf({ stop: ['a', 5] }, union)).toBe('stop[1]: must be a string');
  });

  it('reads unions within unions, conditions and oneOf', () => {
    const deep = compiled({
      oneOf: [
        { type: 'string' },
        {
          type: 'array',
          items: {
            anyOf: [
              { type: 'number' },
              { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
            ],
          },
        },
      ],
    });
    expect(messageOf([1, { n: 'x' }], deep)).toBe('1[n]: must be a number');
    expect(messageOf(true, deep)).toBe('body: must be a string or an array');
    expect(
      messageOf(5, compiled({ oneOf: [{ type: 'number' }, { type: 'number', minimum: 1 }] })),
    ).toBe('body: matches none of the accepted forms, or more than one');
    const conditional = compiled({
      type: 'object',
      properties: { kind: { type: 'string' }, n: { type: 'number' } },
      if: { properties: { kind: { const: 'n' } }, required: ['kind'] },
      then: { required: ['n'] },
    });
    expect(messageOf({ kind: 'n' }, conditional)).toBe('n: is required');
  });
});

describe('what schemas may hold', () => {
  it('reads references to another file, and keeps the declared order in them', () => {
    const set = new SchemaSet({
      outer: { type: 'object', properties: { inner: { $ref: 'parts.schema.json#/$defs/part' } } },
      parts: {
        $defs: {
          part: {
            type: 'object',
            required: ['z', 'a'],
            properties: { a: { type: 'string' }, z: { type: 'string' } },
          },
        },
      },
    });
    expect(messageOf({ inner: { a: 1 } }, set.compile('outer'))).toBe('inner[a]: must be a string');
    expect(messageOf({ inner: {} }, set.compile('outer'))).toBe('inner[a]: is required');
  });

  it('leaves constants and properties with the names of keywords alone', () => {
    const odd = compiled({
      type: 'object',
      additionalProperties: false,
      properties: {
        required: { const: { required: ['x'] } },
        properties: {
          type: 'object',
          required: ['items'],
          properties: { items: { type: 'string' } },
        },
      },
    });
    expect(odd.accepts({ required: { required: ['x'] }, properties: { items: 'a' } })).toBe(true);
    expect(messageOf({ properties: {} }, odd)).toBe('properties[items]: is required');
    expect(odd.firstFailure({ items: 1 })).toMatchObject({
      field: 'items',
      reason: 'is not a known key',
      knownKeys: ['required', 'properties'],
    });
  });

  it('refuses a schema with an unknown keyword', () => {
    expect(() => compiled({ type: 'object', propertys: {} })).toThrow(/propertys/);
  });

  it('refuses the name of a schema that does not exist', () => {
    expect(() => compileSchema('nonesuch')).toThrow(/nonesuch/);
  });
});

describe('the schemas of the package', () => {
  it.each(schemaNames())('%s says what is wrong with a value', (name) => {
    expect(compileSchema(name).firstFailure('nothing of the kind')).toMatchObject({
      reason: expect.any(String) as string,
    });
  });
});

describe('several failures', () => {
  it('come in the declared order, one for each field, up to the limit', () => {
    const listed = validator.failures(
      { messages: [{}], stream: 1, temperature: 5, models: [1, 2] },
      4,
    );
    expect(listed.map(({ field }) => field)).toEqual([
      'messages[0][role]',
      'messages[0][content]',
      'models[0]',
      'models[1]',
    ]);
  });
});

describe('hostile input', () => {
  it('is answered after its first failure, however many there are', () => {
    let reads = 0;
    const messages = new Proxy(Array<number>(1_000_000).fill(1), {
      get(target, name) {
        reads++;
        return Reflect.get(target, name) as unknown;
      },
    });
    const value = { messages, models: [] };
    const unbounded = compiled({
      ...body,
      properties: {
        messages: { ...(body.properties as { messages: object }).messages, maxItems: 10_000_000 },
        models: {},
      },
    });
    expect(messageOf(value, unbounded)).toBe('messages[0]: must be an object');
    expect(reads).toBeLessThan(1_000);
  });

  it('pollutes no prototype, and satisfies nothing through one', () => {
    const value: unknown = JSON.parse(
      '{"__proto__": {"messages": [], "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    );
    expect(messageOf(value)).toBe('messages: is required');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const closed = compiled({ type: 'object', additionalProperties: false, properties: {} });
    expect(messageOf(JSON.parse('{"__proto__": 1}'), closed)).toBe('__proto__: is not a known key');
  });

  it('is named in a message without control characters, lone surrogates or length', () => {
    const closed = compiled({ type: 'object', additionalProperties: false, properties: {} });
    expect(messageOf({ 'a\n\u0000\ud800~/b': 1 }, closed)).toBe('a???~/b: is not a known key');
    expect(messageOf({ ['x'.repeat(100_000)]: 1 }, closed)!.length).toBeLessThan(100);
  });

  it('gets a field and a reason, whatever its shape', () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom('user', 'text', 'a/b', 1.5));
    const message = fc.record(
      {
        role: part,
        content: fc.oneof(
          part,
          fc.array(fc.record({ type: part, text: part }, { requiredKeys: [] })),
        ),
      },
      { requiredKeys: [] },
    );
    const shape = fc.record(
      {
        messages: fc.oneof(part, fc.array(fc.oneof(part, message))),
        models: fc.oneof(part, fc.array(part)),
        temperature: part,
        stream: part,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(shape, (value) => {
        const failure = validator.firstFailure(value);
        expect(failure === null).toBe(validator.accepts(value));
        expect(failure?.reason).not.toBe('is not valid');
        expect(failure?.field).not.toBe('');
      }),
      { numRuns: runs(2000) },
    );
  });

  it('does not stay in memory with the failure', () => {
    const failure = validator.firstFailure({ messages: 'secret' });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});

describe('the schemas of the package', () => {
  it('all compile, strictly', () => {
    expect(schemaNames()).toContain('config');
    const schemas = new SchemaSet(
      Object.fromEntries(schemaNames().map((name) => [name, readSchema(name)])),
    );
    for (const name of schemaNames()) {
      expect(() => schemas.compile(name), name).not.toThrow();
      expect(() => compileSchema(name).accepts(null), name).not.toThrow();
    }
  });

  it('ask for nothing that depends on what was evaluated before, which is not noted', () => {
    for (const name of schemaNames())
      expect(JSON.stringify(readSchema(name)), name).not.toContain('"unevaluated');
  });

  it('are read afresh, so that a reader may change its copy', () => {
    const copy = readSchema('config') as { title?: unknown };
    copy.title = 'changed';
    expect(readSchema('config').title).toBe('Signalbox configuration');
  });
});

describe('a field name', () => {
  it('has its first part bare and the rest in brackets', () => {
    expect(fieldName(['messages', '0', 'content'])).toBe('messages[0][content]');
    expect(fieldName([])).toBe('body');
  });
});

describe('the schema of the configuration', () => {
  it('allows exactly the rankers that the code knows', () => {
    expect(readSchema('config')).toMatchObject({
      properties: { routing: { properties: { ranker: { enum: Object.keys(rankers) } } } },
    });
  });
});

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { ask, post } from '../helpers/sse.js';

type Json = Record<string, unknown>;
interface Document {
  openapi: string;
  info: Json;
  servers: { url: string }[];
  security: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Json>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
let gateway: RunningGateway;
let document: Document;
beforeAll(async () => {
  gateway = await startGateway();
  document = (await ask('GET', `${gateway.url}/openapi.json`)).json as Document;
});
afterAll(() => gateway.close());

/** Every object in a JSON value, with the way to it. */
function* nodesOf(value: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value as Json];
  for (const [key, inner] of Object.entries(value))
    yield* nodesOf(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

const pointed = (pointer: string): unknown =>
  at(
    document,
    ...pointer
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
const operations = (): [string, string, Json, Json][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => methods.includes(key))
      .map(([method, operation]): [string, string, Json, Json] => [
        path,
        method,
        operation as Json,
        item,
      ]),
  );

const isPublic = (operation: Json): boolean =>
  Array.isArray(operation['security']) && operation['security'].length === 0;

/** What compiles schemas of the document, by references that begin with `document#/`. */
function compiled(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
  });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'document', components: document.components });
  return ajv;
}

/** The paths that Express has, as OpenAPI writes them. */
function routesOf({ stack }: { stack: unknown[] }): string[] {
  return (stack as { route?: { path: unknown }; handle: object }[]).flatMap(({ route, handle }) => {
    if (!route) return 'stack' in handle ? routesOf(handle as { stack: unknown[] }) : [];
    return [route.path].flat().map((path) =>
      path instanceof RegExp
        ? String(path)
            .replace(/^\/\^|\\|\/\w*$/g, '')
            .replace(/\/\.$/, '/{model}')
        : String(path).replace(/:(\w+)/g, '{$1}'),
    );
  });
}

/** Operations that work without a body too. */
const optionalBodies = [
  'post /api/v1/keys/{id}/rotate',
  'delete /api/v1/accounts/{id}',
  'post /api/v1/auth/sign-out',
  'post /api/v1/providers/{name}/test',
];

describe('/openapi.json', () => {
  it('is an OpenAPI 3.1 document', async () => {
    const { headers } = await ask('GET', `${gateway.url}/openapi.json`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: expect.any(String) as string,
      version: expect.any(String) as string,
      license: { name: 'Apache-2.0' },
    });
    expect(
      Object.keys(document).filter(
        (key) =>
          ![
            'openapi',
            'info',
            'jsonSchemaDialect',
            'servers',
            'paths',
            'webhooks',
            'components',
            'security',
            'tags',
            'externalDocs',
          ].includes(key),
      ),
    ).toEqual([]);
    for (const requirement of document.security)
      for (const scheme of Object.keys(requirement))
        expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  it('describes each operation with a summary and its answers', () => {
    expect(operations().length).toBeGreaterThan(10);
    for (const [path, method, operation] of operations()) {
      const where = `${method} ${path}`;
      expect(path, where).toMatch(/^\//);
      expect(operation['summary'], where).toEqual(expect.stringMatching(/\S/));
      const responses = Object.entries(operation['responses'] as Record<string, Json>);
      expect(responses.length, where).toBeGreaterThan(0);
      for (const [status, response] of responses) {
        expect(status, where).toMatch(/^([1-5](\d\d|XX)|default)$/);
        expect(response['description'], where).toEqual(expect.stringMatching(/\S/));
        for (const media of Object.values((response['content'] ?? {}) as Record<string, Json>))
          expect(media, where).toHaveProperty('schema');
      }
      if (!operation['requestBody']) continue;
      const { content, required } = operation['requestBody'] as {
        content: Json;
        required: boolean;
      };
      expect(required, where).toBe(!optionalBodies.includes(where));
      // a form has no shape that others share
      expect(content, where).toMatchObject(
        content['application/json']
          ? { 'application/json': { schema: { $ref: expect.any(String) as string } } }
          : { 'multipart/form-data': { schema: { properties: expect.any(Object) as object } } },
      );
    }
  });

  it('is valid by the schema of OpenAPI', async () => {
    const result = await new Validator().validate({ ...structuredClone(document) });
    expect(result.errors ?? [], JSON.stringify(result.errors)).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('gives each operation a name of its own, one group and a place among the groups', () => {
    const names = operations().map(([, , operation]) => operation['operationId'] as string);
    for (const name of names) expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)*(V2)?$/);
    expect(new Set(names).size).toBe(names.length);
    const groups = document.tags.map(({ name }) => name);
    const used = operations().map(([path, method, operation]) => {
      const [group, ...more] = operation['tags'] as string[];
      expect([groups.includes(group ?? ''), more], `${method} ${path}`).toEqual([true, []]);
      return group;
    });
    expect(new Set(used)).toEqual(new Set(groups));
  });

  it('keeps the names that clients were generated with', () => {
    const kept = {
      'post /api/v1/completions': 'createCompletion',
      'post /api/v1/model-select': 'selectModel',
      'post /v1/chat/completions': 'createChatCompletion',
      'post /v1/embeddings': 'createEmbeddings',
      'get /v1/models': 'listModels',
      'post /api/v1/keys': 'createKey',
      'patch /api/v1/keys/{id}': 'updateKey',
      'get /api/v1/conversations/{id}': 'getConversation',
      'post /api/v1/preferences': 'createPreference',
      'post /api/v1/feedback': 'giveFeedback',
      'get /api/v1/usage': 'getUsage',
    };
    const names = operations().map(([path, method, { operationId }]) => [
      `${method} ${path}`,
      operationId,
    ]);
    expect(Object.fromEntries(names)).toMatchObject(kept);
  });

  it('names only statuses that an operation can have', () => {
    for (const [path, method, operation, item] of operations()) {
      const statuses = Object.keys(operation['responses'] as Json).map(Number);
      const where = `${method} ${path}: ${statuses.join(', ')}`;
      const hasBody = 'requestBody' in operation || path.startsWith('/proxy');
      const hasQuery = operation['parameters'] !== undefined;
      if (!hasBody) expect(statuses, where).not.toEqual(expect.arrayContaining([413]));
      if (!hasBody) expect(statuses, where).not.toEqual(expect.arrayContaining([415]));
      if (!hasBody && !hasQuery)
        expect(
          statuses.filter((status) => [400, 422].includes(status)),
          where,
        ).toEqual([]);
      if (hasBody && !path.startsWith('/proxy'))
        expect(statuses, where).toEqual(expect.arrayContaining([400, 413, 415]));
      if (item['parameters']) expect(statuses, where).toContain(404);
      if (isPublic(operation) && path !== '/metrics' && !/\/(sign-in|claim)$/.test(path))
        expect(statuses, where).not.toContain(401);
      if (!isPublic(operation)) expect(statuses, where).toContain(401);
    }
  });

  it('shows bodies to copy that the gateway takes', () => {
    const bodies = operations().flatMap(([path, method, operation]) => {
      const { content = {} } = (operation['requestBody'] ?? {}) as {
        content?: Record<string, Json>;
      };
      const { schema, example } = content['application/json'] ?? {};
      return schema && !content['text/csv'] ? [{ at: `${method} ${path}`, schema, example }] : [];
    });
    expect(bodies.length).toBeGreaterThan(20);
    const ajv = compiled();
    for (const { at: where, schema, example } of bodies) {
      const validate = ajv.compile({
        $ref: `document${(schema as { $ref: string }).$ref}`,
      });
      expect([validate(example), validate.errors], where).toEqual([true, null]);
    }
  });

  it('has the scope that each operation needs in its description', async () => {
    const scopes = ['completions', 'model-select', 'admin'];
    const keys = await Promise.all(
      scopes.map(async (scope) => {
        const rest = scopes.filter((other) => other !== scope);
        const reply = await post(
          `${gateway.url}/api/v1/keys`,
          { name: `without ${scope}`, scopes: rest },
          gateway.auth,
        );
        return [scope, { authorization: `Bearer ${textAt(reply.json, 'key')}` }] as const;
      }),
    );
    for (const [path, method, operation] of operations()) {
      if (isPublic(operation)) continue;
      for (const [scope, auth] of keys) {
        const url = gateway.url + path.replace(/\{\w+\}/g, 'x');
        const { status } = await ask(method.toUpperCase(), url, auth, undefined);
        const described = textAt(operation, 'description').includes(`scope \`${scope}\``);
        const where = `${method} ${path} without ${scope}: ${status}`;
        if (described) expect(status, where).toBe(403);
        else if (!textAt(operation, 'description').includes('Only for administrators'))
          expect(status, where).not.toBe(403);
      }
    }
  });

  it('declares each parameter that a path names, and no other', () => {
    for (const [path, , operation, item] of operations()) {
      const declared = [
        ...((item['parameters'] ?? []) as Json[]),
        ...((operation['parameters'] ?? []) as Json[]),
      ];
      for (const parameter of declared)
        expect(parameter).toMatchObject({
          name: expect.any(String) as string,
          schema: expect.any(Object) as object,
        });
      expect(
        declared
          .filter((parameter) => parameter['in'] === 'path')
          .map(({ name, required }) => [name, required]),
      ).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]));
    }
  });

  it('has no reference that leads nowhere', () => {
    const references = [...nodesOf(document)].flatMap(([path, node]) =>
      typeof node['$ref'] === 'string' ? [[path, node['$ref']] as const] : [],
    );
    expect(references.length).toBeGreaterThan(20);
    for (const [path, reference] of references) {
      expect(reference, path).toMatch(/^#\//);
      expect(pointed(reference), `${path} -> ${reference}`).toBeTypeOf('object');
    }
  });

  it('has schemas that are JSON Schema 2020-12, and take what the gateway takes', () => {
    const ajv = compiled();
    for (const name of Object.keys(document.components.schemas)) {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      expect([validate(7), validate([7])], name).toContain(false);
    }
    const text = JSON.stringify(document.components);
    for (const word of ['$defs', '$id', '$schema', 'x-reason', '"default"'])
      expect(text, word).not.toContain(word);
    for (const name of Object.keys(document.components.schemas))
      expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
    const request = ajv.compile({ $ref: 'document#/components/schemas/CompletionsRequest' });
    expect(request({ models: ['a/b'], messages: [{ role: 'user', content: 'x' }] })).toBe(true);
    expect(request({ models: [''], messages: [{ role: 'user', content: 'x' }] })).toBe(false);
  });

  it('describes every route that there is, and nothing else', () => {
    // pages for people, and their script
    const { dashboard: _pages, ...routers } = gateway.gateway.routers;
    const routes = new Set(Object.values(routers).flatMap(routesOf));
    for (const path of ['/docs/try-it.js', '/docs/{group}']) routes.delete(path);
    const documented = Object.keys(document.paths).filter((path) => !path.startsWith('/proxy/'));
    expect([...routes].sort()).toEqual(documented.sort());
  });

  it('describes operations that answer, with the key where it says so and without where it does not', async () => {
    for (const [path, method, operation] of operations()) {
      const { status } = await ask(
        method.toUpperCase(),
        gateway.url + path.replace(/\{\w+\}/g, 'x'),
      );
      // what anybody may send says that it wants a body
      expect(status, `${method} ${path}`).toBe(
        isPublic(operation) ? (operation['requestBody'] ? 415 : 200) : 401,
      );
    }
  });

  it('names the URL under which the gateway is reached', async () => {
    expect(document.servers).toEqual([{ url: '/' }]);
    const proxied = await startGateway({ publicUrl: 'https://llm.example.org/ai/' });
    const { json } = await ask('GET', `${proxied.url}/openapi.json`);
    await proxied.close();
    expect(json).toMatchObject({ servers: [{ url: 'https://llm.example.org/ai' }] });
  });

  it('lists answers that keep to what it says', async () => {
    const { json } = await ask('GET', `${gateway.url}/v1/models`, gateway.auth);
    expectConforms('models.response', json);
  });
});

import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const run = promisify(execFile);
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/generated-clients/${name}`, import.meta.url));
// below node_modules, so that programs there find the packages
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

let folder: string;
let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'generated-clients-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs with a gateway of its own, because usage counts every request. */
async function withGateway(use: () => Promise<void>): Promise<void> {
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/m': { inputPrice: 1, outputPrice: 2 } },
  });
  try {
    await use();
  } finally {
    await gateway.close();
  }
}

/** Compiles a program as a strict project would; returns what the compiler objects to. */
function compile(file: string): string[] {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  });
  const emitted = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
}

const answers = {
  text: 'Hello',
  chat: 'Hello',
  selected: expect.stringMatching(/^(up\/m|mine)$/) as string,
  embeddings: 2,
  key: 'sk_',
  weights: { quality: 3, cost: 1, latency: 0 },
  messages: 2,
  requests: expect.arrayContaining([['e', 1]]) as unknown[],
};

describe('a client generated from /openapi.json', () => {
  it('by openapi-typescript compiles and calls the gateway with openapi-fetch', async () => {
    await withGateway(async () => {
      const { json } = await ask('GET', `${gateway.url}/openapi.json`);
      const types = await openapiTS(json as Parameters<typeof openapiTS>[0]);
      writeFileSync(join(folder, 'api.d.ts'), astToString(types));
      copyFileSync(fixture('client.ts'), join(folder, 'client.ts'));
      expect(compile(join(folder, 'client.ts'))).toEqual([]);
      const { stdout } = await run(process.execPath, [
        join(folder, 'client.js'),
        gateway.url,
        gateway.key,
      ]);
      expect(JSON.parse(stdout)).toMatchObject({
        ...answers,
        cost: expect.any(Number) as number,
        candidates: 2,
        dayBudget: null,
        requestsPerMinute: 60,
        auto: 'auto',
        refused: [422, expect.stringContaining('models[0]')],
      });
    });
  });

  it('by openapi-python-client imports and calls the gateway', async ({ skip }) => {
    const python = process.env['SIGNALBOX_TEST_PYTHON'] ?? 'python3';
    const isThere = await run(python, ['-c', 'import openapi_python_client, httpx']).then(
      () => true,
      () => false,
    );
    if (!isThere) skip('there is no Python with openapi-python-client');
    await withGateway(async () => {
      const document = join(folder, 'openapi.json');
      writeFileSync(document, (await ask('GET', `${gateway.url}/openapi.json`)).text);
      const generated = await run(python, [
        ...['-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none'],
        ...['--output-path', join(folder, 'gateway_client'), '--overwrite'],
      ]);
      expect(generated.stdout).not.toContain('Unable to process schema');
      copyFileSync(fixture('client.py'), join(folder, 'client.py'));
      const { stdout } = await run(python, [join(folder, 'client.py'), gateway.url, gateway.key]);
      expect(JSON.parse(stdout)).toMatchObject(answers);
    });
  });
});

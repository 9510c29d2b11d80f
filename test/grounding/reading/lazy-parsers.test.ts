import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { threadOptions } from '../../../src/async/thread-options.js';
import { importedBy } from '../../helpers/imported-by.js';

/** Packages for documents, which take a tenth of a second and 40 MB to load. */
const heavy = ['htmlparser2', 'linkedom', '@mozilla/readability', 'unpdf'];

/** Loads a module in a thread in which the heavy packages cannot be loaded. */
async function load(file: string): Promise<string> {
  const source = new URL(`../../../src/${file}`, import.meta.url);
  const hooks = `
    export function resolve(specifier, context, next) {
      if (${JSON.stringify(heavy)}.includes(specifier)) throw new Error('heavy: ' + specifier);
      return next(specifier, context);
    }`;
  const program = `
    import { register } from 'node:module';
    import { parentPort } from 'node:worker_threads';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    import(${JSON.stringify(source.href)}).then(
      () => parentPort.postMessage('loaded'),
      (error) => parentPort.postMessage(error.message),
    );`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
    execArgv: threadOptions(process.execArgv),
  });
  try {
    return await new Promise((resolve, reject) => {
      thread.on('message', resolve);
      thread.on('error', reject);
    });
  } finally {
    await thread.terminate();
  }
}

describe('the parsers of documents', () => {
  it('are not imported with the gateway', () => {
    const imported = importedBy('index.ts');
    expect([...imported]).toEqual(expect.arrayContaining(['express', 'dispatch/attempt.ts']));
    expect(heavy.filter((name) => imported.has(name))).toEqual([]);
  });

  it('are not loaded with the reader of pages', async () => {
    expect(await load('grounding/reading/page-reader.ts')).toBe('loaded');
  });

  it('are loaded by the thread that reads documents', async () => {
    expect(await load('grounding/reading/extraction/scan-html.ts')).toBe('heavy: htmlparser2');
  });
});

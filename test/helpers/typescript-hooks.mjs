// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// each thread compiles what it imports: without the compiled text of earlier threads that takes
// seconds
const compiledFolder = new URL('../../node_modules/.cache/signalbox-threads/', import.meta.url);
mkdirSync(compiledFolder, { recursive: true });

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const source =
    specifier.startsWith('.') && context.parentURL
      ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      : null;
  return source?.pathname.endsWith('.ts') && existsSync(source)
    ? { url: source.href, format: 'module', shortCircuit: true }
    : next(specifier, context);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const compiled = new URL(`${createHash('sha256').update(text).digest('hex')}.js`, compiledFolder);
  const source = existsSync(compiled)
    ? await readFile(compiled, 'utf8')
    : await compile(text, compiled);
  return { format: 'module', source, shortCircuit: true };
}

/**
 * @param {string} text
 * @param {URL} target
 */
async function compile(text, target) {
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
    },
  });
  // moved into place whole: other threads may read it meanwhile
  const draft = new URL(`${target.href}.${process.pid}-${Math.random()}`);
  writeFileSync(draft, outputText);
  renameSync(draft, target);
  return outputText;
}

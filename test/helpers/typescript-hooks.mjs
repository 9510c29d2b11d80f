// @ts-check
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

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
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
    },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}

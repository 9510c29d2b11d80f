// @ts-check
/**
 * Bundles `src` into a few files in `dist`, because Node takes a second of a core to load its 700
 * modules one by one; beside them their declarations, and in `dist/dashboard` the dashboard, made
 * with Vite. All of it goes into a folder of its own first, which takes the place of `dist` when it is
 * whole, so that a gateway that runs from `dist` never finds half of it.
 *
 * `--if-stale` (before `npm start` and `npm pack`): only if `dist` is missing or older than the
 * sources, and without checking the types, which takes half of the time. An installed package has no
 * sources, and nothing is built.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = import.meta.dirname;
const [source, target] = [join(root, 'src'), join(root, 'dist')];
const ifStale = process.argv.includes('--if-stale');
const project = join(root, 'tsconfig.build.json');

/** @returns {boolean} whether `dist` was built after the last change of a source */
function isFresh() {
  const built = statSync(join(target, 'cli/main.js'), { throwIfNoEntry: false });
  if (!built) return false;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return [
    project,
    join(root, 'package-lock.json'),
    source,
    ...files.map((file) => join(source, file)),
  ].every((file) => statSync(file).mtimeMs <= built.mtimeMs);
}

/** @returns {string} the path of the compiler, or '' without development packages */
function compiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
  } catch {
    return '';
  }
}

/**
 * Bundles the package, its command line and its threads. Packages stay outside: an install brings
 * them, shares them with the host, and loads some only where they are needed.
 * @param {string} outDir
 */
async function bundleSources(outDir) {
  const { build: bundle } = await import('esbuild');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).sort();
  const threads = files.filter((file) => /(?<!dashboard.*)worker\.js$/.test(file));
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    entryPoints: ['index.ts', 'cli/main.ts', ...threads].map((file) => join(source, file)),
    outbase: source,
    // not where it is written: the names of sources in the maps are relative to it
    outdir: target,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
  });
  for (const { path, contents } of outputFiles) {
    const file = join(outDir, relative(target, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
}

/**
 * Copies a declaration file and those that it refers to: a third of all.
 * @param {string} name of a module
 * @param {string} from
 * @param {string} to
 */
function copyDeclarations(name, from, to) {
  const [file, copy] = [join(from, `${name}.d.ts`), join(to, `${name}.d.ts`)];
  if (existsSync(copy)) return;
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
  for (const [, other = ''] of readFileSync(file, 'utf8').matchAll(/["'](\.[^"']+)\.js["']/g))
    copyDeclarations(join(dirname(name), other), from, to);
}

/**
 * Builds the dashboard, and leaves each file compressed beside itself for browsers that take it so.
 * @param {string} outDir
 */
async function buildDashboard(outDir) {
  // any other word makes it of React's development build, which is a third larger
  process.env.NODE_ENV = 'production';
  const { build: bundle } = await import('vite');
  const configFile = join(source, 'dashboard/vite.config.ts');
  await bundle({ configFile, logLevel: 'warn', build: { outDir } });
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const file = join(outDir, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
    writeFileSync(`${file}.gz`, gzipSync(bytes));
  }
}

/**
 * @param {string} folder a new folder on the same disk as `dist`
 * @returns {Promise<number>} the exit code
 */
async function build(folder) {
  const [built, old, types] = [join(folder, 'new'), join(folder, 'old'), join(folder, 'types')];
  const words = [compiler(), '-p', project, '--outDir', types, ...(ifStale ? ['--noCheck'] : [])];
  const { status } = spawnSync(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return status ?? 1;
  copyDeclarations('index', types, built);
  await bundleSources(built);
  await buildDashboard(join(built, 'dashboard'));
  if (existsSync(target)) renameSync(target, old);
  renameSync(built, target);
  return 0;
}

if (existsSync(source) && !(ifStale && isFresh())) {
  if (compiler() === '') {
    console.error(
      'dist cannot be built without the development packages: run `npm ci`, or install the package that `npm pack` makes.',
    );
    process.exit(1);
  }
  (await import('./config-input.mjs')).writeConfigInput();
  console.error('The sources are built, which takes half a minute…');
  const folder = mkdtempSync(join(root, '.build-'));
  try {
    process.exitCode = await build(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

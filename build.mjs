// @ts-check
/**
 * Compiles `src` to `dist`, and the dashboard with Vite to `dist/dashboard`: into a folder of its own
 * first, which takes the place of `dist` when it is whole, so that a gateway that runs from `dist`
 * never finds half of it.
 *
 * `--if-stale` (before `npm start` and `npm pack`): only if `dist` is missing or older than the
 * sources, and without checking the types, which takes half of the time. An installed package has no
 * sources, and nothing is built.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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
  const [built, old] = [join(folder, 'new'), join(folder, 'old')];
  const words = [compiler(), '-p', project, '--outDir', built, ...(ifStale ? ['--noCheck'] : [])];
  const { status } = spawnSync(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return status ?? 1;
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
  const folder = mkdtempSync(join(root, '.build-'));
  try {
    process.exitCode = await build(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

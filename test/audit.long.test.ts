import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-audit-'));
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(fromRoot(file), join(folder, file));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a registry tells of a package, of which the lock file has one version. */
function packument(name: string): object {
  const lock = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  const version = lock.packages[`node_modules/${name}`]?.version ?? '1.0.0';
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } };
}

/** Runs the audit against a registry that answers the question for advisories with this. */
async function audit(status: number, body: object): Promise<{ code: number | null; out: string }> {
  const registry = createServer((req, res) => {
    req.resume().on('end', () => {
      const asked =
        req.method === 'GET' ? packument(decodeURIComponent(req.url?.slice(1) ?? '')) : body;
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(asked));
    });
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as AddressInfo;
  const child = spawn(process.execPath, [fromRoot('test/audit.mjs')], {
    cwd: folder,
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder, 'cache'),
    },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (out += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  registry.closeAllConnections();
  registry.close();
  return { code, out };
}

const advisory = (severity: string): object => ({
  express: [
    {
      id: 1,
      url: 'https://example.org/advisory',
      title: 'An example',
      severity,
      vulnerable_versions: '<=99.0.0',
      cwe: [],
      cvss: { score: 0, vectorString: null },
    },
  ],
});

describe('the audit of production packages', () => {
  it('passes without known vulnerabilities, and with mild ones', async () => {
    expect(await audit(200, {})).toMatchObject({ code: 0 });
    expect(await audit(200, advisory('moderate'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('"moderate":1') as string,
    });
  });

  it('fails at a severe one and names the package', async () => {
    const { code, out } = await audit(200, advisory('high'));
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringMatching(/high: express/) });
  });

  it('passes where the registry has no audit, and says so', async () => {
    expect(await audit(405, {})).toMatchObject({
      code: 0,
      out: expect.stringContaining('npm audit does not answer here') as string,
    });
  });
});

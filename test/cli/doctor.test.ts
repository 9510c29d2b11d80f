import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctor } from '../../src/cli/doctor.js';
import { openStore } from '../../src/store/open-store.js';

describe('signalbox doctor', () => {
  let folder: string;
  let server: Server;
  let baseUrl: string;
  let date: Date;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'));
    date = new Date();
    server = createServer((req, res) => {
      const isKnown = req.headers.authorization === 'Bearer sk-good';
      res.sendDate = false;
      res.writeHead(isKnown ? 200 : 401, { date: date.toUTCString() }).end('{"data": []}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await (await openStore(`file:${join(folder, 'signalbox.db')}`)).close();
  });
  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const examine = (config: object): ReturnType<typeof doctor> => {
    const file = join(folder, 'signalbox.yaml');
    writeFileSync(file, JSON.stringify({ dataDir: folder, ...config }));
    return doctor({ config: file });
  };
  const providers = (apiKeys: string[], url = baseUrl): object => ({
    providers: { up: { api: 'openai-compatible', baseUrl: url, apiKeys } },
  });

  it('finds nothing wrong where everything answers', async () => {
    const { text, isHealthy } = await examine(providers(['sk-good']));
    expect(text).toContain('ok       provider up: it answers\n');
    expect(text).toContain('ok       database: embedded; it answers');
    expect(text).toMatch(/no problems\n$/);
    expect(isHealthy).toBe(true);
  });

  it('names the key that a provider refuses by its place, never itself', async () => {
    const { text, isHealthy } = await examine(providers(['sk-good', 'sk-bad']));
    expect(text).toContain('PROBLEM  provider up, key 2 of 2: it refuses the key (status 401)\n');
    expect(text).toContain('remedy: set a valid key');
    expect(text).not.toContain('sk-bad');
    expect(isHealthy).toBe(false);
  });

  it('tells a provider that cannot be reached, and a clock that is wrong', async () => {
    date = new Date(Date.now() - 640_000);
    const skewed = await examine(providers(['sk-good']));
    expect(skewed.text).toMatch(/PROBLEM {2}clock: it differs by 6\d\d s from/);
    const away = await examine(providers(['sk-good'], 'http://127.0.0.1:9/v1'));
    expect(away.text).toContain('PROBLEM  provider up: it cannot be reached');
  });

  it('tells a wrong configuration and a missing database, each with a remedy', async () => {
    const wrong = await examine({ listen: { port: 'many' } });
    expect(wrong.text).toMatch(/PROBLEM {2}configuration: .*listen.*port.*\n {9}remedy: /);
    const missing = await examine({ dataDir: join(folder, 'none') });
    expect(missing.text).toContain(`there is no database in ${join(folder, 'none')}\n`);
    expect(missing.text).toContain(
      'remedy: start the gateway once. If it keeps its data elsewhere',
    );
    expect(missing.isHealthy).toBe(false);
  });
});

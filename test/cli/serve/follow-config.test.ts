import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Demo } from '../../../src/cli/demo-provider.js';
import { followConfig } from '../../../src/cli/serve/follow-config.js';
import { loadConfig } from '../../../src/config/config.js';
import { rules } from '../../../src/gateway.js';
import { keepingLogger, type RunningGateway, startGateway } from '../../helpers/gateway.js';
import { memoryDatabases } from '../../helpers/memory-databases.js';

let folder: string;
let gateway: RunningGateway;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-follow-'));
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const withProvider = (name: string): string =>
  `providers: { ${name}: { api: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" } }\n`;

it.each([
  ['is applied', withProvider('b'), /is now in use/],
  ['is refused where it is wrong', 'providers: { b: {} }\n', /previous one stays in use/],
  ['is none where the text means the same', `# words\n${withProvider('a')}`, null],
])('a change between the start and the watch %s', async (_name, text, line) => {
  const file = join(folder, 'signalbox.yaml');
  writeFileSync(file, withProvider('a'));
  const started = loadConfig({ ...rules, path: file });
  writeFileSync(file, text);
  const { logger, lines } = keepingLogger();
  const databases = memoryDatabases(null, {});
  const demo = await Demo.startFor(started);
  const watch = followConfig(file, started, {
    ...{ gateway: gateway.gateway, demo, logger, databases, isLead: false },
  });
  watch.close();
  await databases.close();
  const said = lines.map(({ msg }) => msg);
  expect(said).toEqual(line ? [expect.stringMatching(line)] : []);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../../src/store/open-store.js';

it('a file that another process is creating is opened once that has finished', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-opening-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'signalbox.db');
  const other = new Database(path);
  other.exec('create table being_made (x)');
  other.exec('begin immediate');
  setTimeout(() => other.exec('commit'), 300);
  const store = await openStore(`file:${path}`);
  expect(await store.claims.hasOwner()).toBe(false);
  await store.close();
  other.close();
});

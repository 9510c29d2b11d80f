import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/config.js';
import { providersOf } from '../../src/gateway.js';

let folder: string;
const secret = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'signalbox-secrets-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a variable in a file', () => {
  it('gives the value of a variable in the configuration, without the line end', () => {
    const env = { TEAM_KEY_FILE: secret('team', 'sk_team\n') };
    const { auth } = resolveConfig({ auth: { keys: [{ name: 'a', key: '${TEAM_KEY}' }] } }, env);
    expect(auth.keys).toEqual([expect.objectContaining({ key: 'sk_team' })]);
  });

  it('overrides settings', () => {
    const file = secret('database', 'postgres://a:b@db.example.org/s\n');
    expect(resolveConfig({}, { SIGNALBOX_DATABASE_URL_FILE: file }).database.url).toBe(
      'postgres://a:b@db.example.org/s',
    );
  });

  it('switches a provider on', () => {
    const env = { OPENAI_API_KEY_FILE: secret('openai', 'sk-from-a-file\n') };
    const { providers } = providersOf(resolveConfig({}, env), env);
    expect(providers).toEqual([
      expect.objectContaining({ name: 'openai', apiKeys: ['sk-from-a-file'] }),
    ]);
  });

  it('is not read if the variable itself is set', () => {
    const env = { SIGNALBOX_API_KEY: 'sk_set', SIGNALBOX_API_KEY_FILE: '/does/not/exist' };
    expect(resolveConfig({}, env).auth.keys).toEqual([expect.objectContaining({ key: 'sk_set' })]);
  });

  it('stops the start if it cannot be read or is empty, naming the variable and not the content', () => {
    const read = (file: string) => () => resolveConfig({}, { SIGNALBOX_API_KEY_FILE: file });
    expect(read(join(folder, 'missing'))).toThrow(
      /the environment variable SIGNALBOX_API_KEY_FILE names a file that cannot be read: ENOENT/,
    );
    expect(read(secret('empty', ' \n'))).toThrow(
      'the environment variable SIGNALBOX_API_KEY_FILE names an empty file',
    );
  });
});

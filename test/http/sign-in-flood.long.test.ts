import { Agent, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Browser, goodPassword } from '../helpers/browser.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { isWholeRun } from '../helpers/runs.js';

const running: RunningGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.close())));

/** A sign-in to an account that does not exist, from an address of this machine. */
const attempt = (url: string, agent: Agent, localAddress: string, email: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request(
      `${url}/api/v1/auth/sign-in`,
      { method: 'POST', agent, localAddress, headers },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    )
      .on('error', reject)
      .end(JSON.stringify({ email, password: 'wrong password' }));
  });

/** Sign-ins on 250 connections, each from the address that `addressOf` gives, until it is over. */
function flood(url: string, addressOf: (index: number) => string) {
  const agent = new Agent({ keepAlive: true });
  const statuses = new Map<number, number>();
  let isOver = false;
  let people = 0;
  const loops = Array.from({ length: 250 }, async (_, index) => {
    while (!isOver) {
      const status = await attempt(url, agent, addressOf(index), `p${++people}@example.org`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  return {
    statuses,
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

async function owned(): Promise<{ gateway: RunningGateway; ada: Browser }> {
  const gateway = await startGateway();
  running.push(gateway);
  const ada = new Browser(gateway.url);
  await ada.signUp('ada@example.org', goodPassword);
  expect((await ada.signIn('ada@example.org', goodPassword)).status).toBe(200);
  return { gateway, ada };
}

async function signInTimes(times: number, browser: () => Browser): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index++)
    statuses.push((await browser().signIn('ada@example.org', goodPassword)).status);
  return statuses;
}

describe('during a flood of sign-ins', () => {
  it('from one address, people of other addresses sign in', async () => {
    const { gateway } = await owned();
    const attack = flood(gateway.url, () => '127.0.0.2');
    await expect.poll(() => attack.statuses.get(429) ?? 0, { timeout: 10_000 }).toBeGreaterThan(0);
    const times = isWholeRun ? 6 : 2;
    expect(await signInTimes(times, () => new Browser(gateway.url))).toEqual(
      Array(times).fill(200),
    );
    await attack.end();
  });

  it.runIf(isWholeRun)(
    'from 250 addresses, people sign in with browsers that signed in before',
    async () => {
      const { gateway, ada } = await owned();
      const attack = flood(gateway.url, (index) => `127.0.1.${index}`);
      await expect
        .poll(() => attack.statuses.get(503) ?? 0, { timeout: 10_000 })
        .toBeGreaterThan(0);
      expect(await signInTimes(12, () => ada)).toEqual(Array(12).fill(200));
      await attack.end();
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import express from 'express';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { at, textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';

let gateway: RunningGateway;
/** The pages of the groups by the ends of their addresses. */
let pages: ReadonlyMap<string, string>;
/** All of them. */
let text: string;
let paths: Record<string, Record<string, unknown>>;
beforeAll(async () => {
  gateway = await startGateway();
  const first = (await ask('GET', `${gateway.url}/docs`)).text;
  const slugs = [...first.matchAll(/<b><a href="docs\/([\w-]+)"/g)].map(([, slug = '']) => slug);
  const read = async (slug: string): Promise<[string, string]> => [
    slug,
    (await ask('GET', `${gateway.url}/docs/${slug}`)).text,
  ];
  pages = new Map(await Promise.all(slugs.map(read)));
  text = [...pages.values()].join('');
  const { json } = await ask('GET', `${gateway.url}/openapi.json`);
  paths = at(json, 'paths') as typeof paths;
});
afterAll(() => gateway.close());

const section = (id: string): string =>
  new RegExp(`<section id="${id}"[^>]*>.*?</section>`, 's').exec(text)?.[0] ?? '';
const unescaped = (html: string): string =>
  html.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)));

describe('/docs', () => {
  it('is a page that loads and runs nothing but its own script', async () => {
    const { headers, text: page } = await ask('GET', `${gateway.url}/docs`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split(';')
        .map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'style-src': "'unsafe-inline'",
      'script-src': expect.stringMatching(/^'nonce-[\w+/]{22}=='$/) as string,
      'connect-src': "'self'",
      'base-uri': "'self'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).toMatch(/^<!doctype html><html lang="en">/);
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
    const script = `<script type="module" src="docs/try-it.js" nonce="${nonce}"></script>`;
    expect(page).toContain(script);
    expect(page.replace(script, '')).not.toMatch(
      /<script|<link|<img|<iframe|\son\w+=|src=|javascript:/i,
    );
  });

  it('names every operation in its group, and leads only to places that are there', () => {
    for (const [path, methods] of Object.entries(paths)) {
      expect(text).toContain(`<code>${path}</code>`);
      for (const operation of Object.values(methods))
        if ('operationId' in Object(operation))
          expect(section(textAt(operation, 'operationId')), path).not.toBe('');
    }
    for (const [slug, page] of pages) {
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size, slug).toBe(ids.length);
      const links = [...page.matchAll(/href="docs\/([\w-]+)#([^"]+)"/g)];
      for (const [, group, target] of links)
        expect([slug, ids]).toEqual([group, expect.arrayContaining([target])]);
      expect(page).not.toMatch(/href="#/);
    }
    const groups = [...text.matchAll(/<main><h2>([^<]+)</g)].map(([, name]) => name);
    expect(groups.slice(0, 3)).toEqual(['Completions', 'Model selection', 'Models']);
  });

  it('has a page for each group, and none of another name', async () => {
    expect(pages.size).toBeGreaterThan(10);
    expect(pages.get('api-keys')).toContain('<section id="createKey"');
    expect(pages.get('api-keys')).not.toContain('<section id="createCompletion"');
    expect((await ask('GET', `${gateway.url}/docs/nothing`, gateway.auth)).status).toBe(404);
  });

  it('begins with a list of what there is, without the paths for earlier clients', () => {
    const contentsOf = (slug: string): string =>
      /<nav.*?<\/nav>/s.exec(pages.get(slug) ?? '')?.[0] ?? '';
    expect(contentsOf('usage')).toContain('<a href="docs/usage#listRequests">');
    expect(contentsOf('usage')).toContain('<a href="docs/api-keys">API keys</a>');
    expect(contentsOf('model-selection')).not.toContain('#selectModelCamelCase');
    for (const slug of pages.keys()) {
      const names = [...contentsOf(slug).matchAll(/<a [^>]+>([^<]+)</g)].map(([, name]) => name);
      expect(new Set(names).size, slug).toBe(names.length);
    }
  });

  it('tells what may be asked in the query, what a body is made of, and which errors there are', () => {
    for (const name of ['limit', 'cursor', 'status', 'from'])
      expect(section('listRequests')).toContain(`<code>?${name}=</code>`);
    expect(section('listRequests')).toContain('<a href="docs/usage#RequestList">RequestList</a>');
    expect(section('getRequest')).toContain('<summary>Errors: 401, 403, 404, 429, 500, 503<');
    expect(section('createKey')).toContain('<code>limits</code>');
    expect(section('createKey')).toMatch(/<code>name<\/code> <small>required/);
  });

  it('tells the type and the meaning of a field where the field is', () => {
    expect(section('createKey')).toContain(
      '<code>(&#34;completions&#34; | &#34;model-select&#34; | &#34;admin&#34;)[] | null</code></td><td>What the key allows',
    );
    expect(section('createCompletion')).toMatch(/<code>temperature<.{1,60}<td>[^<]/);
    expect(section('createCompletion')).toContain(
      '<a href="docs/completions#CompletionsRequestMessage">',
    );
    const fields = [...text.matchAll(/<td><code>\w*Request\w*<\/code>/g)];
    expect(fields).toEqual([]);
  });

  it('breaks the lines of long commands', () => {
    const commands = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(
      ([, code]) => code ?? '',
    );
    for (const line of commands.flatMap((command) => unescaped(command).split('\n')))
      expect(line.length, line).toBeLessThan(120);
  });

  it('shows a command to paste for each operation, for the place where it was asked', async () => {
    expect(unescaped(section('createKey'))).toContain(
      `curl ${gateway.url}/api/v1/keys \\\n  -H "Authorization: Bearer $SIGNALBOX_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"name": "website",`,
    );
    expect(unescaped(section('signIn'))).not.toContain('Authorization');
    const host = await startHost(express().use('/ai', gateway.gateway.router));
    const mounted = (await ask('GET', `${host.url}/ai/docs`)).text;
    await host.close();
    expect(mounted).toContain(`curl ${host.url}/ai/api/v1/completions`);
    const commands = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(
      ([, code]) => code ?? '',
    );
    expect(commands.length).toBeGreaterThan(60);
    for (const command of commands) expect(unescaped(command)).toMatch(/^curl [^{}<>]+(-d '|-F|$)/);
  });

  it('does not repeat a Host header that is no name', async () => {
    const headers = { host: 'a"><b>' };
    const reply = await ask('GET', `${gateway.url}/docs`, headers);
    expect(reply.text).not.toContain('a"><b>');
  });
});

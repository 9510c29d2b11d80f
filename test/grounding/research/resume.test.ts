import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/completion.js';
import {
  boundNotes,
  maxNotesBytes,
  readStoredNotes,
  type ResearchNotes,
} from '../../../src/grounding/research/research-notes.js';
import { runResearch } from '../../../src/grounding/research/run-research.js';
import { canonicalUrl } from '../../../src/grounding/search/canonical-url.js';
import { measureRequest } from '../../../src/models/tokens.js';
import { ample, ScriptedWorld, startRun, type WorldOptions } from '../../helpers/researching.js';
import { isWholeRun } from '../../helpers/runs.js';

const question: ChatMessage[] = [{ role: 'user', content: 'How high is the tower?' }];

const stored = (notes: ResearchNotes): ResearchNotes => readStoredNotes(JSON.stringify(notes))!;

/** All notes that a whole run saves. */
async function savedBy(world: WorldOptions = {}): Promise<ResearchNotes[]> {
  const { outcome, saved } = startRun(new ScriptedWorld(world));
  await outcome;
  return saved;
}

const namesOf = ({ facts }: ResearchNotes): string[] =>
  facts.map(({ source, fact }) => `${source} ${fact}`);

describe('a research run that continues', () => {
  it('after each step of another one reads no page twice, and notes nothing twice', async () => {
    const saved = await savedBy();
    expect(saved.length).toBeGreaterThan(20);
    // each of them by `npm run test:all`
    for (const notes of saved.filter((_, index) => isWholeRun || index % 5 === 0)) {
      const world = new ScriptedWorld();
      const { outcome } = startRun(world, { resume: stored(notes) });
      const { notes: last, text, sources } = await outcome;
      const before = notes.sources.map(({ url }) => canonicalUrl(url));
      expect(world.reads.map(canonicalUrl).filter((url) => before.includes(url))).toEqual([]);
      expect(world.searches.filter((query) => notes.searched.includes(query))).toEqual([]);
      expect(new Set(namesOf(last)).size).toBe(last.facts.length);
      expect(namesOf(last)).toEqual(expect.arrayContaining(namesOf(notes)));
      expect(new Set(last.sources.map(({ url }) => canonicalUrl(url))).size).toBe(
        last.sources.length,
      );
      expect(last.sources.every(({ excerpt }) => excerpt === null)).toBe(true);
      expect(last.questions.every(({ answered }) => answered)).toBe(true);
      expect(last.phase).toBe('done');
      for (const { id } of sources) expect(text).toContain(`[${id}]`);
    }
  });

  it('has a budget of its own, and its notes have the sum of both', async () => {
    const first = startRun(new ScriptedWorld(), { budget: { ...ample, maxSteps: 6 } });
    const { notes, spent, stoppedBy } = await first.outcome;
    expect(stoppedBy).toBe('steps');
    expect(spent.steps).toBe(6);
    const second = startRun(new ScriptedWorld(), {
      budget: { ...ample, maxSteps: 7 },
      resume: stored(notes),
    });
    const after = await second.outcome;
    expect(after.spent.steps).toBe(7);
    expect(after.notes.spent.steps).toBe(13);
    expect(after.notes.spent.tokens).toBe(spent.tokens + after.spent.tokens);
    expect(after.notes.spent.costUsd).toBeCloseTo(spent.costUsd! + after.spent.costUsd!, 9);
    expect(after.notes.facts.length).toBeGreaterThan(notes.facts.length);
  });

  it('takes notes of a page that was read, but not noted', async () => {
    const fails = (what: string): boolean => what === 'notes';
    const { notes } = await startRun(new ScriptedWorld({ fails })).outcome;
    expect(notes.facts).toEqual([]);
    const waiting = notes.sources.filter(({ excerpt }) => excerpt !== null);
    expect(waiting.length).toBeGreaterThan(3);
    const world = new ScriptedWorld({ results: () => [] });
    const { notes: last } = await startRun(world, { resume: stored(notes) }).outcome;
    expect(world.reads.filter((url) => waiting.some((source) => source.url === url))).toEqual([]);
    expect(new Set(last.facts.map(({ source }) => source)).size).toBe(notes.sources.length);
  });

  it('shortens what an earlier run read for a reader with more context', async () => {
    const notes = (await savedBy()).find(({ sources }) => sources.length > 0)!;
    const excerpt = 'FACT The tower is 90 m high and old. '.repeat(1_300);
    const sources = notes.sources.map((source) => ({ ...source, excerpt }));
    const world = new ScriptedWorld({ contextTokens: 4_000 });
    await startRun(world, { resume: { ...notes, sources } }).outcome;
    expect(world.unreserved).toEqual([]);
    for (const call of world.callsOf('notes'))
      expect(measureRequest(call.messages).tokens + call.maxTokens).toBeLessThan(4_000);
  });

  it('writes the answer of notes whose writer failed', async () => {
    const fails = (what: string): boolean => what === 'answer';
    const first = startRun(new ScriptedWorld({ fails }));
    await expect(first.outcome).rejects.toThrow('the answer failed');
    const world = new ScriptedWorld();
    const second = startRun(world, { resume: stored(first.saved.at(-1)!) });
    expect((await second.outcome).text).toContain('[1]');
    expect(world.searches).toEqual([]);
    expect(world.reads).toEqual([]);
  });

  it('plans for a new message of the user, and keeps what it knows', async () => {
    const { notes } = await startRun(new ScriptedWorld()).outcome;
    const world = new ScriptedWorld({
      script: {
        plan: () => '{"questions": [{"question": "Who pays?", "queries": ["tower money"]}]}',
      },
    });
    const messages = [
      ...question,
      { role: 'assistant', content: 'It is high.' },
      { role: 'user', content: 'And who pays for it?' },
    ];
    const run = startRun(world, { resume: stored(notes) }, messages);
    const { notes: last } = await run.outcome;
    const [plan] = world.callsOf('plan');
    expect(plan!.messages[1]!.content).toContain('And who pays for it?');
    expect(plan!.messages[1]!.content).toContain('What is the height of the tower?');
    expect(world.searches[0]).toBe('tower money');
    expect(last.questions.at(-1)!.text).toBe('Who pays?');
    expect(last.asked).toHaveLength(2);
    expect(last.facts.length).toBeGreaterThan(notes.facts.length);
    // asked again, the same message is not planned for again
    const again = new ScriptedWorld();
    await startRun(again, { resume: stored(last) }, messages).outcome;
    expect(again.callsOf('plan')).toEqual([]);
  });

  it('saves its notes when the client leaves, at any time', async () => {
    const whole = await savedBy();
    for (const at of [0, 50, 150, 250, 333, 450, 600]) {
      const world = new ScriptedWorld();
      const leaving = new AbortController();
      const reason = new Error('the client left');
      world.clock.after(at, () => leaving.abort(reason));
      const { outcome, saved } = startRun(world, { signal: leaving.signal });
      await expect(outcome).rejects.toBe(reason);
      expect(world.clock.now()).toBe(at);
      const last = saved.at(-1)!;
      expect(stored(last)).toEqual(last);
      expect(last.spent.steps).toBeLessThanOrEqual(whole.at(-1)!.spent.steps);
    }
  });

  it('goes on where its notes cannot be saved', async () => {
    const world = new ScriptedWorld();
    const saveNotes = (): Promise<void> => Promise.reject(new Error('the disk is full'));
    const run = startRun(world, { saveNotes });
    expect((await run.outcome).text).toContain('[1]');
  });

  it('has at most its four parallel steps unsaved, but waits no longer than a second', async () => {
    const unsavedAtOnce = async (saveMs: number): Promise<number> => {
      const world = new ScriptedWorld();
      const { read } = world.web;
      let [saved, most] = [0, 0];
      const web = {
        ...world.web,
        read: (...args: Parameters<typeof read>) => {
          const reading = read(...args);
          most = Math.max(most, world.reads.length - saved);
          return reading;
        },
      };
      const { outcome } = startRun(
        { clock: world.clock, model: world.model, web },
        {
          effort: 'high',
          saveNotes: async ({ sources }) => {
            await world.clock.wait(saveMs, new AbortController().signal);
            saved = sources.filter(({ excerpt }) => excerpt === null).length;
          },
        },
      );
      await outcome;
      return most;
    };
    expect(await unsavedAtOnce(300)).toBe(4);
    expect(await unsavedAtOnce(1_000_000)).toBeGreaterThan(4);
  });

  it('saves once at a time, and the newest at last', async () => {
    const world = new ScriptedWorld();
    let saving = 0;
    const steps: number[] = [];
    const work = runResearch(
      question,
      { model: world.model, web: world.web, clock: world.clock },
      {
        budget: ample,
        effort: 'low',
        signal: new AbortController().signal,
        saveNotes: async ({ spent }) => {
          expect(++saving).toBe(1);
          await world.clock.wait(70, new AbortController().signal);
          steps.push(spent.steps);
          saving--;
        },
      },
    );
    const { spent } = await world.clock.drive(work);
    expect(steps.at(-1)).toBe(spent.steps);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  });
});

describe('stored notes', () => {
  it('are read back as they were saved', async () => {
    for (const notes of await savedBy()) expect(stored(notes)).toEqual(notes);
  });

  it('of another version are not read', () => {
    expect(readStoredNotes('{"version": 2, "asked": ["What?"]}')).toBeNull();
  });

  it('have at most a megabyte, in every script', () => {
    const texts = ['塔', '"', '😀'];
    for (const text of texts) {
      const line = (length: number): string => text.repeat(length).slice(0, length);
      const page = {
        title: line(200),
        snippet: line(400),
        publishedAt: null,
        via: 'searxng',
      };
      const notes: ResearchNotes = {
        version: 1,
        phase: 'gather',
        asked: Array.from({ length: 10 }, () => line(4_000)),
        questions: Array.from({ length: 24 }, (_, index) => ({
          id: index + 1,
          text: line(300),
          queries: Array.from({ length: 6 }, () => line(200)),
          answered: false,
        })),
        searched: Array.from({ length: 300 }, () => line(200)),
        found: Array.from({ length: 400 }, (_, rank) => ({
          ...page,
          url: `https://a.example/${'x'.repeat(2_000)}`,
          question: 1,
          rank,
        })),
        seen: Array.from({ length: 1_000 }, () => `https://a.example/${'x'.repeat(2_000)}`),
        sources: Array.from({ length: 400 }, (_, index) => ({
          ...page,
          url: `https://b.example/${'x'.repeat(2_000)}`,
          id: index + 1,
          fetchedAt: null,
          excerpt: index % 2 === 0 ? null : line(5_000),
        })),
        facts: Array.from({ length: 2_000 }, (_, index) => ({
          question: 1 + (index % 24),
          source: 1 + (index % 400),
          fact: line(500),
          quote: line(400),
          rank: index % 8,
        })),
        spent: { steps: 1, seconds: 1, tokens: 1, costUsd: null },
      };
      const bounded = boundNotes(notes);
      expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThanOrEqual(maxNotesBytes);
      expect(bounded.facts.length).toBeGreaterThan(20);
      expect(stored(bounded).facts).toHaveLength(bounded.facts.length);
    }
  });
});

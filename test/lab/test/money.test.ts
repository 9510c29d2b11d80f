import { describe, expect, it } from 'vitest';
import { byRate, rulesBefore, withinWindow } from '../money/choice-rules.js';
import { judgeGraded } from '../money/judge-graded.js';
import { peoplesConversations } from '../money/people.js';
import { reworded } from '../money/reworded.js';
import { ownTexts } from '../scale/own-texts.js';

const dear = { quality: 0.95, uncertainty: 0.004, cost: 0.02 },
  fair = { quality: 0.945, uncertainty: 0.004, cost: 0.01 },
  cheap = { quality: 0.91, uncertainty: 0.004, cost: 0.001 };
const all = [dear, fair, cheap];

describe('rules of choice', () => {
  it('of before pay any price for a difference that can be told', () => {
    expect(all[rulesBefore.default(all)]).toBe(fair);
    expect(rulesBefore.default([dear, { ...fair, uncertainty: 0.001 }].slice(0, 1))).toBe(0);
    expect(all[rulesBefore.cost(all)]).toBe(cheap);
  });

  it('by a rate pay what one more good answer is worth, and nothing within the window', () => {
    expect(all[byRate({ rate: 100, window: 0 })(all)]).toBe(dear);
    expect(all[byRate({ rate: 100, window: 0.01 })(all)]).toBe(fair);
    expect(all[byRate({ rate: 1, window: 0 })(all)]).toBe(fair);
    expect(all[byRate({ rate: 0.1, window: 0 })(all)]).toBe(cheap);
    expect(all[withinWindow(0.05)(all)]).toBe(cheap);
  });

  it('never take a model of unknown price before one of known price', () => {
    expect(byRate({ rate: 1, window: 0 })([{ ...dear, cost: null }, cheap])).toBe(1);
  });

  it('are judged by the true answers and costs of what they take', () => {
    const graded = { predicted: all, scores: [1, 0, 0], costs: [0.03, 0.01, 0.001] };
    const verdict = judgeGraded([graded, graded], withinWindow(0));
    expect(verdict).toEqual({ accuracy: 1, error: 0, usd: 30 });
  });
});

describe("people's conversations", () => {
  const sets = ['easy', 'middling', 'hard', 'fields-easy', 'fields-hard'] as const;
  const conversations = sets.map(peoplesConversations);

  it('are easy, middling and hard ones, and sixty each of further fields in eighteen languages', () => {
    const languages = (all: readonly { language: string }[]): number =>
      new Set(all.map(({ language }) => language)).size;
    expect(conversations.map(({ length }) => length)).toEqual([40, 30, 40, 60, 60]);
    expect(languages(conversations[0]!)).toBe(6);
    expect(languages(conversations[2]!)).toBe(15);
    expect(languages(conversations[4]!)).toBe(18);
  });

  it('are none of the texts that the reader of requests is fitted to', () => {
    const fitted = new Set(ownTexts().map(({ text }) => text.toLowerCase()));
    for (const { messages } of conversations.flat())
      for (const { content } of messages)
        if (typeof content === 'string') expect(fitted.has(content.toLowerCase())).toBe(false);
  });

  it('can be reworded without a change of what is asked', () => {
    const [first] = conversations[0]!;
    const words = (text: string): string => text.toLowerCase().replace(/[^a-z0-9%]/g, '');
    for (const [, { messages }] of reworded(first!))
      expect(words(messages[0]!.content as string)).toContain('whatis17%of240');
  });
});

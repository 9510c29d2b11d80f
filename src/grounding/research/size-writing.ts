import type { Spending } from './budget-ledger.js';
import { materialPart, writingRules } from './prompts.js';
import { promptTokens, type ResearchRun } from './research-run.js';
import { writerMessages } from './conversation.js';

/** How much is written from how much. */
export interface WritingSize {
  readonly historyTokens: number;
  readonly materialTokens: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  readonly most: Spending;
}

/** What writing may use. */
export type WritingRoom = Pick<Spending, 'tokens'> & { readonly costUsd: number };

const shares = [1, 0.8, 0.6, 0.45, 0.33, 0.25, 0.18, 0.12, 0.08, 0.05];

/** The smaller ones are tried without the conversation before the last message. */
const sharesWithHistory = 8;

/** Of the conversation before the last message, as a share of the context. */
const maxHistoryShare = 0.25;

/**
 * The largest answer, with its material, that a budget and the writer's context allow. Where
 * little fits, earlier turns of the conversation are left out; a last message that is longer than the
 * context is left to the provider to refuse.
 * @returns the limit that even the smallest answer exceeds, if there is one
 */
export function sizeWriting(run: ResearchRun, room: WritingRoom): WritingSize | 'tokens' | 'cost' {
  const maxContext = run.contextOf('writer');
  const historyTokens = Math.floor(maxContext * maxHistoryShare);
  const wanted = [
    ...shares.slice(0, sharesWithHistory).map((share) => ({ share, historyTokens })),
    ...shares.map((share) => ({ share, historyTokens: 0 })),
  ];
  let limit: 'tokens' | 'cost' = 'tokens';
  for (const [index, { share, historyTokens }] of wanted.entries()) {
    const size = sizeAt(run, historyTokens, share);
    const isSmallest = index === wanted.length - 1;
    if (size.promptTokens + size.answerTokens > maxContext && !isSmallest) continue;
    const { tokens, costUsd } = size.most;
    limit = tokens <= room.tokens ? 'cost' : 'tokens';
    if (tokens <= room.tokens && (costUsd ?? 0) <= room.costUsd) return size;
  }
  return limit;
}

function sizeAt(run: ResearchRun, historyTokens: number, share: number): WritingSize {
  const { context, width, messages } = run;
  const [rules, frame] = [writingRules(context), materialPart(context, '…')];
  const base = promptTokens(writerMessages(messages, rules, frame, historyTokens));
  const materialTokens = Math.floor(width.materialTokens * share);
  const answerTokens = Math.floor(width.answerTokens * share);
  const prompt = base + materialTokens;
  const most = run.most('writer', prompt, answerTokens);
  return { historyTokens, materialTokens, promptTokens: prompt, answerTokens, most };
}

/** Writing has at most this share of the time that is left. */
const maxTimeShare = 0.4;

/**
 * Sets the part for writing aside: at most half of the budget where that is enough. Where even the
 * smallest answer is too expensive, nothing is set aside.
 */
export function setWritingAside(run: ResearchRun): void {
  const { tokens, costUsd } = run.ledger.left;
  const half = sizeWriting(run, { tokens: tokens / 2, costUsd: costUsd / 2 });
  const size = typeof half === 'object' ? half : sizeWriting(run, { tokens, costUsd });
  if (typeof size !== 'object') return;
  const wantedMs = run.width.writingSeconds * 1_000;
  run.ledger.setAside(size.most, Math.min(wantedMs, run.ledger.msLeft * maxTimeShare));
}

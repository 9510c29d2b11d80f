import { Alert, Group, List, Loader, Paper, Spoiler, Stack, Text, Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Hint, LongText, Note, PlainText } from '../elements.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Answer,
  type Failed,
  type Figures,
  isOpen,
  type TraceEntry,
  type Work,
} from './answer.js';
import { AnswerText } from './answer-text.js';
import { SourceChips } from './sources.js';
import { axisLabel, formatCount, formatUsd, unknownValue } from '../../format/numbers.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { type Column, figure, ListTable, column } from '../list-table.js';

const { playground: words } = texts;

interface AnswerViewProps {
  answer: Answer;
  /** Its calls of tools, with results or with what asks for them. */
  calls?: ReactNode;
  /** Buttons under the answer. */
  actions?: ReactNode;
}

/** An answer with all that is known of it: what was done, sources, figures. */
export function AnswerView({ answer, calls, actions }: AnswerViewProps) {
  const { state, text, reasoning, sources, citations, work, failed, warnings } = answer;
  return (
    <Paper
      withBorder
      p="sm"
      radius="md"
      component="article"
      aria-label={words.answer}
      aria-busy={isOpen(answer)}
    >
      <Stack gap="sm">
        <AnswerHead answer={answer} />
        <WorkList work={work} isOpen={isOpen(answer)} />
        <Reasoning text={reasoning} />
        {text === '' ? null : (
          <AnswerText
            text={text}
            sources={sources}
            citations={citations}
            isGrowing={state === 'growing'}
          />
        )}
        {calls}
        {failed ? <AnswerFailure failed={failed} /> : null}
        {warnings.map((warning) => (
          <Alert key={warning} color="yellow" p="xs">
            <Text size="sm">{warning}</Text>
          </Alert>
        ))}
        <SourceChips sources={sources} citations={citations} />
        <Group justify="space-between" gap="xs">
          <AnswerFigures answer={answer} />
          {actions === undefined ? null : <Group gap={6}>{actions}</Group>}
        </Group>
      </Stack>
    </Paper>
  );
}

/** Who answers, and whether more is coming. */
function AnswerHead({ answer }: { answer: Answer }) {
  const { provider, model, state } = answer;
  const seconds = useSeconds(isOpen(answer));
  return (
    <Group gap="xs" wrap="nowrap">
      {isOpen(answer) ? <Loader size="xs" aria-label={words.writing} /> : null}
      <PlainText fw={600}>{model === '' ? withoutModel(answer) : `${provider}/${model}`}</PlainText>
      {isOpen(answer) && seconds > 0 ? (
        <Note className="figures">{axisLabel(formatMs(seconds * 1_000))}</Note>
      ) : null}
      {state === 'stopped' && !isUnasked(answer) ? <Note>{words.stopped}</Note> : null}
    </Group>
  );
}

const isUnasked = ({ state, model, text, failed }: Answer): boolean =>
  state === 'stopped' && model === '' && text === '' && failed === null;

function withoutModel(answer: Answer): string {
  if (isOpen(answer)) return words.choosing;
  if (isUnasked(answer)) return words.unasked;
  return answer.text === '' ? words.nobody : words.answer;
}

/** The seconds for which an answer has been running, as far as this page has seen it. */
function useSeconds(isRunning: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isRunning) return;
    const startedAt = Date.now();
    const count = (): void => setSeconds(Math.round((Date.now() - startedAt) / 1_000));
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return seconds;
}

function Reasoning({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Spoiler maxHeight={44} showLabel={words.showReasoning} hideLabel={words.hideReasoning}>
      <Hint fs="italic" className="text-plain">
        {text}
      </Hint>
    </Spoiler>
  );
}

/** What went wrong, in the provider's words, with every attempt. */
const AnswerFailure = ({ failed: { message, trace } }: { failed: Failed }) => (
  <Alert color="red" title={words.failed} role="alert">
    <Stack gap="xs">
      <LongText>{message}</LongText>
      <Attempts trace={trace} />
    </Stack>
  </Alert>
);

const columns: readonly Column<TraceEntry>[] = [
  column(texts.common.model, ({ provider, model }) => `${provider}/${model}`),
  column(words.error, ({ error }) => error),
  figure(texts.common.status, ({ status }) => status ?? unknownValue),
  figure(texts.common.time, ({ latency }) => formatMs(latency)),
];

/** The attempts that failed, oldest first. */
export const Attempts = ({ trace }: { trace: readonly TraceEntry[] }) =>
  trace.length === 0 ? null : (
    <ListTable label={words.attempts} columns={columns} rows={trace} minWidth={360} fz="xs" />
  );

const { figures: figureWords } = texts.playground;

/** Tokens, cost and times of an answer in one line. */
function AnswerFigures({ answer: { figures, at } }: { answer: Answer }) {
  if (!figures) return <span />;
  return (
    <Group gap="sm" className="figures">
      {factsOf(figures).map(({ text, hint }) => (
        <Tooltip key={hint} label={hint}>
          <Note component="span">{text}</Note>
        </Tooltip>
      ))}
      {at === null ? null : <Note component="span">{formatInstant(at)}</Note>}
    </Group>
  );
}

function factsOf(figures: Figures): { text: string; hint: string }[] {
  const { promptTokens, completionTokens, costUsd, latency, ttft, isEstimated, grounding } =
    figures;
  const tokens = fill(figureWords.tokens, {
    prompt: formatCount(promptTokens),
    completion: formatCount(completionTokens),
  });
  const hasTokens = promptTokens !== null || completionTokens !== null;
  const facts: [isKnown: boolean, text: string, hint: string][] = [
    [hasTokens, isEstimated ? `≈ ${tokens}` : tokens, figureWords.tokensHint],
    [true, costUsd === null ? texts.common.noPrice : formatUsd(costUsd), figureWords.costHint],
    [ttft !== null, fill(figureWords.ttft, { time: formatMs(ttft) }), figureWords.ttftHint],
    [latency !== null, formatMs(latency), figureWords.latencyHint],
    [grounding !== null, groundingWords(grounding), figureWords.groundingHint],
  ];
  return facts.flatMap(([isKnown, text, hint]) => (isKnown ? [{ text, hint }] : []));
}

const groundingWords = (grounding: Figures['grounding']): string =>
  fill(figureWords.grounding, {
    searches: formatCount(grounding?.searches),
    pages: formatCount(grounding?.pagesRead),
    tools: formatCount(grounding?.toolCalls),
    cost: formatUsd(grounding?.costUsd),
  });

const { work: workWords } = texts.playground;

/** Searches, pages and tools of an answer: open while they run, then one line that opens. */
function WorkList({ work, isOpen }: { work: readonly Work[]; isOpen: boolean }) {
  const last = work.at(-1);
  if (!last) return null;
  const pages = work.filter(({ phase }) => phase === 'read').length;
  return (
    <details key={String(isOpen)} open={isOpen}>
      <Note component="summary" lh={2} aria-live="polite">
        {isOpen ? lineOf(last) : fill(workWords.done, { count: work.length })}
        {isOpen && pages > 0 ? ` · ${fill(workWords.pages, { count: pages })}` : ''}
      </Note>
      <List size="xs" spacing={2} mt={4} className="work-list">
        {work.map((one, index) => (
          <List.Item key={index} icon={iconOf(one, isOpen && index === work.length - 1)}>
            <span className="text-plain">{lineOf(one)}</span>
          </List.Item>
        ))}
      </List>
    </details>
  );
}

function iconOf({ kind, phase }: Work, isLast: boolean) {
  const isRunning = kind === 'tool' ? phase === 'running' : isLast;
  if (isRunning) return <Loader size={10} />;
  return <span aria-hidden>{phase === 'error' || phase === 'refused' ? '✗' : '✓'}</span>;
}

function lineOf({ kind, phase, detail, latency }: Work): string {
  const known: Readonly<Record<string, string>> =
    kind === 'tool' ? workWords.tool : workWords.phase;
  const time = latency === null ? '' : ` (${formatMs(latency)})`;
  return `${known[phase] ?? phase}: ${detail}${time}`;
}

import { Group, Text, Tooltip } from '@mantine/core';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { Answer, Figures } from './answer.js';

const { figures: words } = texts.playground;

/** Tokens, cost and times of an answer in one line. */
export function AnswerFigures({ answer: { figures, at } }: { answer: Answer }) {
  if (!figures) return <span />;
  return (
    <Group gap="sm" className="figures">
      {factsOf(figures).map(({ text, hint }) => (
        <Tooltip key={hint} label={hint}>
          <Text size="xs" c="dimmed" component="span">
            {text}
          </Text>
        </Tooltip>
      ))}
      {at === null ? null : (
        <Text size="xs" c="dimmed" component="span">
          {formatInstant(at)}
        </Text>
      )}
    </Group>
  );
}

interface Fact {
  readonly text: string;
  readonly hint: string;
}

function factsOf({
  promptTokens,
  completionTokens,
  costUsd,
  latency,
  ttft,
  isEstimated,
  grounding,
}: Figures): Fact[] {
  const tokens = fill(words.tokens, {
    prompt: formatCount(promptTokens),
    completion: formatCount(completionTokens),
  });
  const facts: Fact[] = [
    { text: isEstimated ? `≈ ${tokens}` : tokens, hint: words.tokensHint },
    { text: costUsd === null ? words.noPrice : formatUsd(costUsd), hint: words.costHint },
  ];
  if (ttft !== null)
    facts.push({ text: fill(words.ttft, { time: formatMs(ttft) }), hint: words.ttftHint });
  if (latency !== null) facts.push({ text: formatMs(latency), hint: words.latencyHint });
  if (grounding) facts.push(factOfGrounding(grounding));
  return facts;
}

function factOfGrounding({
  searches,
  pagesRead,
  toolCalls,
  costUsd,
}: NonNullable<Figures['grounding']>): Fact {
  const text = fill(words.grounding, {
    searches: formatCount(searches),
    pages: formatCount(pagesRead),
    tools: formatCount(toolCalls),
    cost: formatUsd(costUsd),
  });
  return { text, hint: words.groundingHint };
}

import { Alert, Group, Loader, Paper, Spoiler, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../../texts/texts.js';
import { type Answer, isOpen } from './answer.js';
import { AnswerFailure } from './answer-failure.js';
import { AnswerFigures } from './answer-figures.js';
import { AnswerText } from './answer-text.js';
import { SourceChips } from './sources.js';
import { WorkList } from './work-list.js';

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
  return (
    <Group gap="xs" wrap="nowrap">
      {isOpen(answer) ? <Loader size="xs" aria-label={words.writing} /> : null}
      <Text size="sm" fw={600} className="text-plain">
        {model === '' ? (isOpen(answer) ? words.choosing : words.nobody) : `${provider}/${model}`}
      </Text>
      {state === 'stopped' ? (
        <Text size="xs" c="dimmed">
          {words.stopped}
        </Text>
      ) : null}
    </Group>
  );
}

function Reasoning({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Spoiler maxHeight={44} showLabel={words.showReasoning} hideLabel={words.hideReasoning}>
      <Text size="sm" c="dimmed" fs="italic" className="text-plain">
        {text}
      </Text>
    </Spoiler>
  );
}

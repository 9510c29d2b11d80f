import { SimpleGrid, Stack, Text, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import './conversation.css';
import { texts } from '../../texts/texts.js';
import { AnswerView } from './answer-view.js';
import { ToolCallCard } from './tool-call.js';
import type { Step, Turn } from './turn.js';
import { Pictures } from './pictures.js';

interface TurnViewProps {
  turn: Turn;
  /** Buttons under an answer. */
  actionsOf?: (step: Step, lane: number, index: number) => ReactNode;
  /** What asks for the results of an answer's calls, where they are missing. */
  askResults?: (step: Step, lane: number, index: number) => ReactNode;
}

/** A question with the answers of all lanes, side by side where there is room. */
export const TurnView = ({ turn, actionsOf, askResults }: TurnViewProps) => (
  <Stack gap="sm">
    {turn.text === '' && turn.pictures.length === 0 ? null : (
      <UserMessage text={turn.text} pictures={turn.pictures} />
    )}
    <SimpleGrid cols={{ base: 1, md: turn.lanes.length || 1 }} spacing="sm">
      {turn.lanes.map((steps, lane) => (
        <Stack key={lane} gap="sm" miw={0}>
          {steps.map((step, index) => (
            <AnswerView
              key={index}
              answer={step.answer}
              calls={callsOf(step, askResults?.(step, lane, index))}
              actions={actionsOf?.(step, lane, index)}
            />
          ))}
        </Stack>
      ))}
    </SimpleGrid>
  </Stack>
);

function callsOf({ answer, results }: Step, ask: ReactNode): ReactNode {
  if (answer.toolCalls.length === 0) return null;
  if (results === null && ask) return ask;
  return answer.toolCalls.map(({ id, function: { name, arguments: args } }) => (
    <ToolCallCard key={id} name={name} args={args}>
      {results?.[id] === undefined ? null : (
        <Text size="sm" className="text-plain">
          {texts.playground.tools.result}: {results[id]}
        </Text>
      )}
    </ToolCallCard>
  ));
}

/** What a person asked. */
const UserMessage = ({ text, pictures }: { text: string; pictures: readonly string[] }) => (
  <Paper className="user-message" p="sm" radius="md" aria-label={texts.playground.you} role="group">
    <Stack gap="xs">
      <Pictures urls={pictures} />
      {text === '' ? null : (
        <Text size="sm" className="text-plain">
          {text}
        </Text>
      )}
    </Stack>
  </Paper>
);

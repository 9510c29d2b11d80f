import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ToolCall } from '../../components/conversation/answer.js';
import { ToolCallCard } from '../../components/conversation/tool-call.js';
import { texts } from '../../texts/texts.js';

const { tools: words } = texts.playground;

interface AskResultsProps {
  calls: readonly ToolCall[];
  isBusy: boolean;
  send: (results: Readonly<Record<string, string>>) => void;
}

/** The model called tools that this page's reader runs: asks for what they returned. */
export function AskResults({ calls, isBusy, send }: AskResultsProps) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const all = Object.fromEntries(calls.map(({ id }) => [id, results[id] ?? '']));
  return (
    <Stack gap="xs">
      {calls.map(({ id, function: { name, arguments: args } }) => (
        <ToolCallCard key={id} name={name} args={args}>
          <Textarea
            label={words.result}
            placeholder={words.resultHint}
            autosize
            minRows={2}
            value={results[id] ?? ''}
            onChange={(event) => setResults({ ...results, [id]: event.currentTarget.value })}
          />
        </ToolCallCard>
      ))}
      <Group justify="flex-end">
        <Button size="xs" disabled={isBusy} onClick={() => send(all)}>
          {words.send}
        </Button>
      </Group>
    </Stack>
  );
}

import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../../texts/texts.js';
import { prettyJson } from './answer-parts.js';

interface ToolCallCardProps {
  name: string;
  /** JSON, as the model wrote it. */
  args: string;
  /** The result, or what asks for it. */
  children?: ReactNode;
}

/** A call of a tool that the client runs. */
export const ToolCallCard = ({ name, args, children }: ToolCallCardProps) => (
  <Paper withBorder p="sm">
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {texts.playground.tools.call}
        </Text>
        <Text size="sm" fw={600} ff="monospace">
          {name}
        </Text>
      </Group>
      <Code block tabIndex={0} role="region" aria-label={texts.playground.tools.args}>
        {prettyJson(args)}
      </Code>
      {children}
    </Stack>
  </Paper>
);

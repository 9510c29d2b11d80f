import { Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyProps {
  title: string;
  /** What to do so that something stands here. */
  hint: string;
  /** Buttons or links that do it. */
  actions?: ReactNode;
}

/** Stands where there is nothing yet, and says what to do. */
export function Empty({ title, hint, actions }: EmptyProps) {
  return (
    <Paper withBorder p="xl">
      <Stack gap="xs" align="center" ta="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" maw={480}>
          {hint}
        </Text>
        {actions === undefined ? null : <Group mt="xs">{actions}</Group>}
      </Stack>
    </Paper>
  );
}

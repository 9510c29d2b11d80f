import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** Buttons and switches at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page below the shell: its heading, its actions and its content. */
export function Page({ title, lead, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Signalbox`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="md">
        <Box>
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead === undefined ? null : (
            <Text c="dimmed" size="sm">
              {lead}
            </Text>
          )}
        </Box>
        {actions === undefined ? null : <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

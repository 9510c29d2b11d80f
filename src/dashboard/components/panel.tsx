import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PanelProps {
  title: string;
  /** A sentence under the title. */
  lead?: ReactNode;
  /** Buttons and switches at the right of the title. */
  actions?: ReactNode;
  /** 1: it is all that its page has. */
  order?: 1 | 2;
  children: ReactNode;
}

/** A box with a heading: a part of a page, by which those who do not see it reach that part. */
export const Panel = ({ title, lead, actions, order = 2, children }: PanelProps) => (
  <Paper withBorder p={order === 1 ? 'xl' : 'md'} miw={0} component="section" aria-label={title}>
    <Stack gap="sm">
      <Box>
        <Group justify="space-between" gap="xs">
          <Title order={order} size={order === 1 ? 'h3' : 'h5'}>
            {title}
          </Title>
          {actions}
        </Group>
        {lead === undefined ? null : (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </Box>
      {children}
    </Stack>
  </Paper>
);

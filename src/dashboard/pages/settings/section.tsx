import { Box, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  lead?: string;
  children: ReactNode;
}

/** A part of the settings with its heading. */
export const Section = ({ title, lead, children }: SectionProps) => (
  <Stack gap="sm" component="section" maw={960}>
    <Box>
      <Title order={2} size="h4">
        {title}
      </Title>
      {lead === undefined ? null : (
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
      )}
    </Box>
    {children}
  </Stack>
);

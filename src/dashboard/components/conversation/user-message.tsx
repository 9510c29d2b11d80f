import { Paper, Stack, Text } from '@mantine/core';
import { texts } from '../../texts/texts.js';
import { Pictures } from './pictures.js';

/** What a person asked. */
export const UserMessage = ({ text, pictures }: { text: string; pictures: readonly string[] }) => (
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

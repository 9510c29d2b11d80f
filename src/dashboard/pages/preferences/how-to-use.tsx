import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useModelLabels } from '../../components/model-labels.js';
import { gatewayUrl } from '../../api/client.js';
import { CodeBlock, CopyText } from '../../components/copy-text.js';
import { texts } from '../../texts/texts.js';

const text = texts.preferences;

/** How many models the command names; the preference chooses among them. */
const shownModels = 3;

/** How requests name a preference. */
export function HowToUse({ id }: { id: string }) {
  const labels = useModelLabels();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {text.how}
      </Title>
      <Text size="sm" c="dimmed">
        {text.howHint}
      </Text>
      <Group gap="sm">
        <Text size="sm">{text.idLabel}</Text>
        <Code>{id}</Code>
        <CopyText value={id} />
      </Group>
      <CodeBlock label={text.curlLabel} code={curlOf(id, labels.slice(0, shownModels))} />
    </Stack>
  );
}

const curlOf = (id: string, models: readonly string[]): string =>
  [
    `curl ${gatewayUrl}/api/v1/completions \\`,
    `  -H "Authorization: Bearer $SIGNALBOX_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"models": ${JSON.stringify(models)},`,
    `       "preference_id": "${id}",`,
    `       "messages": [{"role": "user", "content": "Why is the sky blue?"}]}'`,
  ].join('\n');

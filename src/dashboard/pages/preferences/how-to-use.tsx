import { Code, Group, Text } from '@mantine/core';
import { gatewayUrl } from '../../api/client.js';
import { CodeBlock, CopyText } from '../../components/copy-text.js';
import { useModelLabels } from '../../components/model-labels.js';
import { Panel } from '../../components/panel.js';
import { texts } from '../../texts/texts.js';

const text = texts.preferences;

/** How many models the command names; the preference chooses among them. */
const shownModels = 3;

/** How requests name a preference. */
export function HowToUse({ id }: { id: string }) {
  const labels = useModelLabels();
  return (
    <Panel title={text.how} lead={text.howHint}>
      <Group gap="sm">
        <Text size="sm">{text.idLabel}</Text>
        <Code>{id}</Code>
        <CopyText value={id} />
      </Group>
      <CodeBlock label={text.curlLabel} code={curlOf(id, labels.slice(0, shownModels))} />
    </Panel>
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

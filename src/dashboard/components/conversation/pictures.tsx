import { Anchor, CloseButton, Group, Image, Text } from '@mantine/core';
import { fill, texts } from '../../texts/texts.js';
import { openableUrl } from './answer-parts.js';

interface PicturesProps {
  /** Addresses, most of them `data:`. */
  urls: readonly string[];
  onRemove?: (index: number) => void;
}

/** Pictures of a message. Only those that are in the message itself are shown. */
export function Pictures({ urls, onRemove }: PicturesProps) {
  if (urls.length === 0) return null;
  return (
    <Group gap="xs">
      {urls.map((url, index) => (
        <div key={index} className="picture">
          <Picture url={url} name={fill(texts.playground.attached, { number: index + 1 })} />
          {onRemove ? (
            <CloseButton
              size="sm"
              variant="filled"
              aria-label={fill(texts.playground.removePicture, { number: index + 1 })}
              onClick={() => onRemove(index)}
            />
          ) : null}
        </div>
      ))}
    </Group>
  );
}

function Picture({ url, name }: { url: string; name: string }) {
  if (url.startsWith('data:image/'))
    return <Image src={url} alt={name} h={96} w="auto" maw={240} fit="contain" radius="sm" />;
  const href = openableUrl(url);
  if (href === null) return <Text size="sm">{name}</Text>;
  return (
    <Anchor href={href} size="sm" target="_blank" rel="noopener noreferrer" underline="always">
      {fill(texts.playground.picture, { name: url })}
    </Anchor>
  );
}

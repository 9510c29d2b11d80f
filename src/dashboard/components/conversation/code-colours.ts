import { common, createLowlight } from 'lowlight';

const lowlight = createLowlight(common);

/** A piece of code of one kind, as a class of the style sheet. */
interface CodePiece {
  readonly text: string;
  readonly kind: string;
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Cuts code where its kind changes, such as from a keyword to a name. */
export function colourCode(language: string, code: string): CodePiece[] {
  try {
    return lowlight.highlight(language, code).children.flatMap((node) => piecesOf(node, ''));
  } catch {
    return [{ text: code, kind: '' }];
  }
}

function piecesOf(node: Node, kind: string): CodePiece[] {
  if (node.type === 'text') return [{ text: node.value, kind }];
  if (node.type !== 'element') return [];
  const { children, properties } = node;
  const own = Array.isArray(properties.className) ? properties.className.join(' ') : kind;
  return children.flatMap((child) => piecesOf(child, own));
}

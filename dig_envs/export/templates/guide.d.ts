/** The guide of the game as Markdown, for `game.guide`. */
declare const guide: string;
export default guide;

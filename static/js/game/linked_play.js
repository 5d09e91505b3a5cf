// A link to a play (/games/GAME/plays#play-12) opens the drive that it is folded into. Most browsers
// do so by themselves.
const play = document.getElementById(location.hash.slice(1));
const drive = play?.closest("details.drive-plays");

if (drive && !drive.hasAttribute("open")) {
  drive.setAttribute("open", "");
  play.scrollIntoView();
}

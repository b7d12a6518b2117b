import "../ui/manual";
